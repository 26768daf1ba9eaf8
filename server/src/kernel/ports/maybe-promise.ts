import type { Table } from './ledger.ts'
import type { Stored, Page, Tables, Where } from './reads.ts'
import type { MaybePromise } from './runtime.ts'

/** Calls `use` with a value: synchronously if it is known, without a promise. */
export const withResult = <T, U>(value: MaybePromise<T>, use: (value: T) => MaybePromise<U>): MaybePromise<U> =>
  value instanceof Promise ? value.then(use) : use(value)

type Settled<T extends readonly unknown[]> = { readonly [K in keyof T]: Awaited<T[K]> }

/** The same for several values. Usually all of them are known, and nothing is awaited. */
export function withResults<const T extends readonly unknown[], U>(
  values: T,
  use: (values: Settled<T>) => U,
): MaybePromise<U> {
  for (const value of values)
    if (value instanceof Promise) return Promise.all(values).then((all) => use(all as unknown as Settled<T>))
  return use(values as unknown as Settled<T>)
}

/** A row from memory if it is known there, otherwise from the store. */
export function knownOrReadRow<T extends Table>(
  tables: Pick<Tables, 'row' | 'known_rows'>,
  table: T,
  id: string,
): MaybePromise<Stored<T> | undefined> {
  const known = tables.known_rows?.row(table, id)
  return known === undefined ? tables.row(table, id) : known.held
}

/** A page of rows. The store is not asked if it is known that there are none. */
export function knownOrReadList<T extends Table>(
  tables: Pick<Tables, 'list' | 'known_rows'>,
  table: T,
  where: Where<T>,
  page: Page,
): MaybePromise<readonly Stored<T>[]> {
  return tables.known_rows?.isAbsent(table, where) === true ? [] : tables.list(table, where, page)
}
