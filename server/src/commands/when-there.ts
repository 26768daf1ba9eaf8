import type { Table } from './ports/ledger.ts'
import type { Held, Page, Tables, Where } from './ports/reads.ts'
import type { Soon } from './ports/runtime.ts'

/** Goes on with a value: at once where it is there, without a promise. */
export const whenThere = <T, U>(value: Soon<T>, use: (value: T) => Soon<U>): Soon<U> =>
  value instanceof Promise ? value.then(use) : use(value)

type Settled<T extends readonly unknown[]> = { readonly [K in keyof T]: Awaited<T[K]> }

/** Goes on with several values that were asked for side by side. Mostly all of them are there at once. */
export function whenAllThere<const T extends readonly unknown[], U>(
  values: T,
  use: (values: Settled<T>) => U,
): Soon<U> {
  for (const value of values)
    if (value instanceof Promise) return Promise.all(values).then((all) => use(all as unknown as Settled<T>))
  return use(values as unknown as Settled<T>)
}

/** A row: what is at hand, or else read. */
export function rowSoon<T extends Table>(
  tables: Pick<Tables, 'row' | 'at_hand'>,
  table: T,
  id: string,
): Soon<Held<T> | undefined> {
  const known = tables.at_hand?.row(table, id)
  return known === undefined ? tables.row(table, id) : known.held
}

/** A page of rows: none, where it is known that there are none, or else read. */
export function listSoon<T extends Table>(
  tables: Pick<Tables, 'list' | 'at_hand'>,
  table: T,
  where: Where<T>,
  page: Page,
): Soon<readonly Held<T>[]> {
  return tables.at_hand?.isAbsent(table, where) === true ? [] : tables.list(table, where, page)
}
