import { Bug } from '../contract/problems.ts'
import type { Change, Ledger, Outcomes, Table, Version } from '../ports/ledger.ts'
import type { KnownRows, Held, Tables } from '../ports/reads.ts'

/**
 * Tables in which an older version of a row, or none at all, would restore somebody's access: a revoked key or consent, a lifted
 * pause, a former passphrase or passkey, an ended login, a server whose tools count as listed for the first time.
 */
export const GUARDED_TABLES = [
  'credentials',
  'logins',
  'passphrases',
  'passkeys',
  'pauses',
  'consents',
  'flow_consents',
  'servers',
] as const
export type GuardedTable = (typeof GUARDED_TABLES)[number]
export type MinimumVersion = { readonly table: GuardedTable; readonly id: string; readonly version: Version }

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

type Guarded = { readonly ledger: Ledger & Outcomes; readonly tables: Tables }
export type OnOlder = (found: { readonly table: GuardedTable; readonly id: string }) => void

const GUARDED_SET: ReadonlySet<Table> = new Set<Table>(GUARDED_TABLES)
const isGuarded = (table: Table): table is GuardedTable => GUARDED_SET.has(table)
/**
 * Without the row there is no key and no consent, which is safe. Without a pause or a passphrase there would be no limit, so
 * reading fails.
 */
const isGiving = (table: Table): boolean => ['credentials', 'logins', 'consents', 'flow_consents'].includes(table)

/** INVARIANT: no row of these tables is returned in a version older than one that this gate has committed. */
export function guardVersions({ ledger, tables }: Guarded, minimums: MinimumVersions, onOlder: OnOlder): Guarded {
  const isCurrent = (table: Table, id: string, version: Version): boolean => {
    if (!isGuarded(table) || version >= (minimums.of(table, id) ?? 0)) return true
    onOlder({ table, id })
    if (isGiving(table)) return false
    throw new Bug(`row \`${id}\` of \`${table}\` is older than the one that this gate wrote last`)
  }
  const commitAndRaise: Ledger['commit'] = async (changes) => {
    const committed = await ledger.commit(changes)
    if (committed === 'committed') await minimums.raise(changes.flatMap(minimumsIn))
    return committed
  }
  return {
    ledger: {
      ...ledger,
      commit: (changes) => (changes.some(isRaising) ? commitAndRaise(changes) : ledger.commit(changes)),
    },
    tables: {
      ...tables,
      ...(tables.known_rows === undefined ? {} : { known_rows: currentKnownRows(tables.known_rows, minimums) }),
      async row(table, id) {
        const held = await tables.row(table, id)
        return isCurrent(table, id, held?.version ?? 0) ? held : undefined
      },
      async list(table, where, page) {
        const held = await tables.list(table, where, page)
        if (!isGuarded(table)) return held
        // A person's passkeys are only ever listed, so a missing one is detected here.
        if (table === 'passkeys' && (await tables.count(table, {})) < countOf(minimums, table))
          throw new Bug('a passkey is missing from the database')
        return held.filter(({ row, version }) => isCurrent(table, idOf(table, row), version))
      },
    },
  }
}

/** A row that is older than its lowest acceptable version is treated as unknown, so that it is read from the store, which reports it. */
const currentKnownRows = (known_rows: KnownRows, minimums: MinimumVersions): KnownRows => ({
  ...known_rows,
  row(table, id) {
    const known = known_rows.row(table, id)
    if (known === undefined || !isGuarded(table)) return known
    return (known.held?.version ?? 0) >= (minimums.of(table, id) ?? 0) ? known : undefined
  },
})

const isRaising = (change: Change): boolean => change.kind === 'swap' && isGuarded(change.table)

const countOf = (minimums: MinimumVersions, table: GuardedTable): number =>
  minimums.all().filter((row) => row.table === table).length

function minimumsIn(change: Change): readonly MinimumVersion[] {
  if (change.kind !== 'swap' || !isGuarded(change.table)) return []
  return [{ table: change.table, id: change.id, version: change.from === 'absent' ? 1 : change.from + 1 }]
}

const PAGE = 500

/**
 * Before the first request: reports rows that are older than they were or missing, and adopts what a killed process committed
 * last. Rows that can never grant anything again are dropped.
 */
export async function settleMinimums(
  tables: Pick<Tables, 'list'>,
  minimums: MinimumVersions,
  onOlder: OnOlder,
  now: number,
): Promise<void> {
  const next: MinimumVersion[] = []
  for (const table of GUARDED_TABLES) next.push(...(await settleTable(tables, minimums, onOlder, table, now)))
  await minimums.replace(next)
}

async function settleTable(
  tables: Pick<Tables, 'list'>,
  minimums: MinimumVersions,
  onOlder: OnOlder,
  table: GuardedTable,
  now: number,
): Promise<readonly MinimumVersion[]> {
  const known = new Map(minimums.all().flatMap((row) => (row.table === table ? [[row.id, row.version] as const] : [])))
  const stored = await everyRow(tables, table)
  // If a forged row makes the whole table unreadable, the recorded versions stay unchanged.
  if (stored === undefined) return [...known].map(([id, version]) => ({ table, id, version }))
  const next: MinimumVersion[] = []
  for (const { row, version } of stored) {
    const id = idOf(table, row)
    const minimum = known.get(id) ?? 0
    known.delete(id)
    if (version < minimum) onOlder({ table, id })
    const isPassing = table === 'consents' || table === 'flow_consents' || table === 'logins'
    const isOver = isPassing && 'expires_at' in row && (row.expires_at ?? Infinity) < now
    if (!isOver) next.push({ table, id, version: Math.max(version, minimum) })
  }
  for (const [id, version] of known) {
    onOlder({ table, id })
    next.push({ table, id, version })
  }
  return next
}

async function everyRow<T extends GuardedTable>(
  { list }: Pick<Tables, 'list'>,
  table: T,
): Promise<readonly Held<T>[] | undefined> {
  const rows: Held<T>[] = []
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

function idOf(table: GuardedTable, row: object): string {
  const fields = row as Readonly<Record<string, string>>
  return fields[ID_FIELD[table]] ?? ''
}

const ID_FIELD = {
  credentials: 'key_id',
  logins: 'login_id',
  passphrases: 'user',
  passkeys: 'passkey_id',
  pauses: 'scope',
  consents: 'consent_id',
  flow_consents: 'consent_id',
  servers: 'server',
} as const satisfies Record<GuardedTable, string>
