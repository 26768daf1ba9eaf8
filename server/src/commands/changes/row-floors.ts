import { Bug } from '../../contract/problems.ts'
import type { Change, Ledger, Outcomes, Table, Version } from '../ports/ledger.ts'
import type { KnownRows, Held, Tables } from '../ports/reads.ts'

/**
 * Tables in which an older version of a row, or none at all, would restore somebody's access: a revoked key or consent, a lifted
 * pause, a former passphrase or passkey, an ended log-in, a server whose tools count as listed for the first time.
 */
export const FLOORED = [
  'credentials',
  'logins',
  'passphrases',
  'passkeys',
  'pauses',
  'consents',
  'flow_consents',
  'servers',
] as const
export type FlooredTable = (typeof FLOORED)[number]
export type FlooredRow = { readonly table: FlooredTable; readonly id: string; readonly version: Version }

/**
 * The lowest acceptable version of each such row: the newest one that this gate has committed. Stored outside the ledger, beside the keys.
 */
export interface RowFloors {
  of(table: Table, id: string): Version | undefined
  all(): readonly FlooredRow[]
  /** Durable on return. Never lowers one. */
  raise(rows: readonly FlooredRow[]): Promise<void>
  /** Replaces all of them: rows that are not named are dropped. */
  replace(rows: readonly FlooredRow[]): Promise<void>
}

type Guarded = { readonly ledger: Ledger & Outcomes; readonly tables: Tables }
export type OnOlder = (found: { readonly table: FlooredTable; readonly id: string }) => void

const FLOORED_SET: ReadonlySet<Table> = new Set<Table>(FLOORED)
const isFloored = (table: Table): table is FlooredTable => FLOORED_SET.has(table)
/**
 * Without the row there is no key and no consent, which is safe. Without a pause or a passphrase there would be no limit, so
 * reading fails.
 */
const isGiving = (table: Table): boolean => ['credentials', 'logins', 'consents', 'flow_consents'].includes(table)

/** INVARIANT: no row of these tables is returned in a version older than one that this gate has committed. */
export function guardVersions({ ledger, tables }: Guarded, floors: RowFloors, onOlder: OnOlder): Guarded {
  const isCurrent = (table: Table, id: string, version: Version): boolean => {
    if (!isFloored(table) || version >= (floors.of(table, id) ?? 0)) return true
    onOlder({ table, id })
    if (isGiving(table)) return false
    throw new Bug(`row \`${id}\` of \`${table}\` is older than the one that this gate wrote last`)
  }
  const commitAndRaise: Ledger['commit'] = async (changes) => {
    const committed = await ledger.commit(changes)
    if (committed === 'committed') await floors.raise(changes.flatMap(flooredIn))
    return committed
  }
  return {
    ledger: {
      ...ledger,
      commit: (changes) => (changes.some(isRaising) ? commitAndRaise(changes) : ledger.commit(changes)),
    },
    tables: {
      ...tables,
      ...(tables.at_hand === undefined ? {} : { at_hand: currentAtHand(tables.at_hand, floors) }),
      async row(table, id) {
        const held = await tables.row(table, id)
        return isCurrent(table, id, held?.version ?? 0) ? held : undefined
      },
      async list(table, where, page) {
        const held = await tables.list(table, where, page)
        if (!isFloored(table)) return held
        // A person's passkeys are only ever listed, so a missing one is detected here.
        if (table === 'passkeys' && (await tables.count(table, {})) < countOf(floors, table))
          throw new Bug('a passkey is missing from the database')
        return held.filter(({ row, version }) => isCurrent(table, idOf(table, row), version))
      },
    },
  }
}

/** A row that is older than its lowest acceptable version is treated as unknown, so that it is read from the store, which reports it. */
const currentAtHand = (at_hand: KnownRows, floors: RowFloors): KnownRows => ({
  ...at_hand,
  row(table, id) {
    const known = at_hand.row(table, id)
    if (known === undefined || !isFloored(table)) return known
    return (known.held?.version ?? 0) >= (floors.of(table, id) ?? 0) ? known : undefined
  },
})

const isRaising = (change: Change): boolean => change.kind === 'swap' && isFloored(change.table)

const countOf = (floors: RowFloors, table: FlooredTable): number =>
  floors.all().filter((row) => row.table === table).length

function flooredIn(change: Change): readonly FlooredRow[] {
  if (change.kind !== 'swap' || !isFloored(change.table)) return []
  return [{ table: change.table, id: change.id, version: change.from === 'absent' ? 1 : change.from + 1 }]
}

const PAGE = 500

/**
 * Before the first request: reports rows that are older than they were or missing, and adopts what a killed process committed
 * last. Rows that can never grant anything again are dropped.
 */
export async function settleFloors(
  tables: Pick<Tables, 'list'>,
  floors: RowFloors,
  onOlder: OnOlder,
  now: number,
): Promise<void> {
  const next: FlooredRow[] = []
  for (const table of FLOORED) next.push(...(await settleTable(tables, floors, onOlder, table, now)))
  await floors.replace(next)
}

async function settleTable(
  tables: Pick<Tables, 'list'>,
  floors: RowFloors,
  onOlder: OnOlder,
  table: FlooredTable,
  now: number,
): Promise<readonly FlooredRow[]> {
  const known = new Map(floors.all().flatMap((row) => (row.table === table ? [[row.id, row.version] as const] : [])))
  const stored = await everyRow(tables, table)
  // If a forged row makes the whole table unreadable, the recorded versions stay unchanged.
  if (stored === undefined) return [...known].map(([id, version]) => ({ table, id, version }))
  const next: FlooredRow[] = []
  for (const { row, version } of stored) {
    const id = idOf(table, row)
    const floor = known.get(id) ?? 0
    known.delete(id)
    if (version < floor) onOlder({ table, id })
    const isPassing = table === 'consents' || table === 'flow_consents' || table === 'logins'
    const isOver = isPassing && 'expires_at' in row && (row.expires_at ?? Infinity) < now
    if (!isOver) next.push({ table, id, version: Math.max(version, floor) })
  }
  for (const [id, version] of known) {
    onOlder({ table, id })
    next.push({ table, id, version })
  }
  return next
}

async function everyRow<T extends FlooredTable>(
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

function idOf(table: FlooredTable, row: object): string {
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
} as const satisfies Record<FlooredTable, string>
