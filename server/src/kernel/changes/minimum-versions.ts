import { Bug } from '../contract/problems.ts'
import type { Change, Ledger, CommitResults, Table, Version } from '../ports/ledger.ts'
import type { KnownRows, Stored, Tables } from '../ports/reads.ts'

/**
 * A table in which an older version of a row, or none at all, would restore somebody's access: a revoked key or consent, a lifted
 * pause, a former passphrase or passkey, an ended login, a server whose tools count as listed for the first time.
 */
export type Guard = {
  /** The field with the row's id. */
  readonly id: string
  /**
   * Without the row there is no key and no consent, which is safe. Without a pause or a passphrase there would be no limit, so
   * reading fails.
   */
  readonly gives?: true
  /** A row that has expired can never grant anything again. */
  readonly passes?: true
}
export type Guards = ReadonlyMap<Table, Guard>

const KERNEL_GUARDS: { readonly [T in Table]?: Guard } = {
  credentials: { id: 'key_id', gives: true },
  logins: { id: 'login_id', gives: true, passes: true },
  passphrases: { id: 'user' },
  passkeys: { id: 'passkey_id' },
  pauses: { id: 'scope' },
  consents: { id: 'consent_id', gives: true, passes: true },
  servers: { id: 'server' },
}

/** The guarded tables of the kernel, and those of guests. */
export const guardsOf = (tables: readonly { readonly table: Table; readonly guarded?: Guard }[]): Guards =>
  new Map([
    ...(Object.entries(KERNEL_GUARDS) as [Table, Guard][]),
    ...tables.flatMap(({ table, guarded }) => (guarded === undefined ? [] : [[table, guarded] as const])),
  ])

export type MinimumVersion = { readonly table: Table; readonly id: string; readonly version: Version }

/**
 * The lowest acceptable version of each such row: the newest one that this gate has committed. Stored outside the ledger, beside the keys.
 */
export interface MinimumVersions {
  of(table: Table, id: string): Version | undefined
  all(): readonly MinimumVersion[]
  /** Durable on return. Never lowers one. */
  raise(rows: readonly MinimumVersion[]): Promise<void>
  /** Replaces all of them: rows that are not named are dropped. */
  replace(rows: readonly MinimumVersion[]): Promise<void>
}

type Guarded = { readonly ledger: Ledger & CommitResults; readonly tables: Tables }
export type OnOlder = (found: { readonly table: Table; readonly id: string }) => void

/** INVARIANT: no row of these tables is returned in a version older than one that this gate has committed. */
export function guardVersions(
  { ledger, tables }: Guarded,
  guards: Guards,
  minimums: MinimumVersions,
  onOlder: OnOlder,
): Guarded {
  const isRaising = (change: Change): boolean => change.kind === 'swap' && guards.has(change.table)
  const isCurrent = (table: Table, id: string, version: Version): boolean => {
    const guard = guards.get(table)
    if (guard === undefined || version >= (minimums.of(table, id) ?? 0)) return true
    onOlder({ table, id })
    if (guard.gives === true) return false
    throw new Bug(`row \`${id}\` of \`${table}\` is older than the one that this gate wrote last`)
  }
  const commitAndRaise: Ledger['commit'] = async (changes) => {
    const committed = await ledger.commit(changes)
    if (committed === 'committed') await minimums.raise(changes.flatMap((change) => minimumsIn(guards, change)))
    return committed
  }
  return {
    ledger: {
      ...ledger,
      commit: (changes) => (changes.some(isRaising) ? commitAndRaise(changes) : ledger.commit(changes)),
    },
    tables: {
      ...tables,
      ...(tables.known_rows === undefined ? {} : { known_rows: currentKnownRows(tables.known_rows, guards, minimums) }),
      async row(table, id) {
        const held = await tables.row(table, id)
        return isCurrent(table, id, held?.version ?? 0) ? held : undefined
      },
      async list(table, where, page) {
        const held = await tables.list(table, where, page)
        const guard = guards.get(table)
        if (guard === undefined) return held
        // A person's passkeys are only ever listed, so a missing one is detected here.
        if (table === 'passkeys' && (await tables.count(table, {})) < countOf(minimums, table))
          throw new Bug('a passkey is missing from the database')
        return held.filter(({ row, version }) => isCurrent(table, idOf(guard, row), version))
      },
    },
  }
}

/** A row that is older than its lowest acceptable version is treated as unknown, so that it is read from the store, which reports it. */
const currentKnownRows = (known_rows: KnownRows, guards: Guards, minimums: MinimumVersions): KnownRows => ({
  ...known_rows,
  row(table, id) {
    const known = known_rows.row(table, id)
    if (known === undefined || !guards.has(table)) return known
    return (known.held?.version ?? 0) >= (minimums.of(table, id) ?? 0) ? known : undefined
  },
})

const countOf = (minimums: MinimumVersions, table: Table): number =>
  minimums.all().filter((row) => row.table === table).length

function minimumsIn(guards: Guards, change: Change): readonly MinimumVersion[] {
  if (change.kind !== 'swap' || !guards.has(change.table)) return []
  return [{ table: change.table, id: change.id, version: change.from === 'absent' ? 1 : change.from + 1 }]
}

const PAGE = 500

/**
 * Before the first request: reports rows that are older than they were or missing, and adopts what a killed process committed
 * last. Rows that can never grant anything again are dropped. Those of guests that this build does not have are kept.
 */
export async function checkMinimums(
  tables: Pick<Tables, 'list'>,
  guards: Guards,
  minimums: MinimumVersions,
  onOlder: OnOlder,
  now: number,
): Promise<void> {
  const next = minimums.all().filter(({ table }) => !guards.has(table))
  for (const [table, guard] of guards) next.push(...(await settleTable(tables, guard, minimums, onOlder, table, now)))
  await minimums.replace(next)
}

async function settleTable(
  tables: Pick<Tables, 'list'>,
  guard: Guard,
  minimums: MinimumVersions,
  onOlder: OnOlder,
  table: Table,
  now: number,
): Promise<readonly MinimumVersion[]> {
  const known = new Map(minimums.all().flatMap((row) => (row.table === table ? [[row.id, row.version] as const] : [])))
  const stored = await everyRow(tables, table)
  // If a forged row makes the whole table unreadable, the recorded versions stay unchanged.
  if (stored === undefined) return [...known].map(([id, version]) => ({ table, id, version }))
  const next: MinimumVersion[] = []
  for (const { row, version } of stored) {
    const id = idOf(guard, row)
    const minimum = known.get(id) ?? 0
    known.delete(id)
    if (version < minimum) onOlder({ table, id })
    const isOver = guard.passes === true && 'expires_at' in row && (row.expires_at ?? Infinity) < now
    if (!isOver) next.push({ table, id, version: Math.max(version, minimum) })
  }
  for (const [id, version] of known) {
    onOlder({ table, id })
    next.push({ table, id, version })
  }
  return next
}

async function everyRow<T extends Table>(
  { list }: Pick<Tables, 'list'>,
  table: T,
): Promise<readonly Stored<T>[] | undefined> {
  const rows: Stored<T>[] = []
  try {
    for (let after: number | undefined; ;) {
      const page = await list(table, {}, after === undefined ? { limit: PAGE } : { limit: PAGE, after })
      rows.push(...page)
      if (page.length < PAGE) return rows
      after = page.at(-1)?.cursor
    }
  } catch {
    return undefined
  }
}

function idOf(guard: Guard, row: object): string {
  return (row as Readonly<Record<string, string>>)[guard.id] ?? ''
}
