import type { Change, Rows, Table } from '../../kernel/ports/ledger.ts'
import type { Stored } from '../../kernel/ports/reads.ts'
import type { RunEvent } from '../../kernel/contract/run.ts'
import { listedFields } from './listed.ts'
import type { Sealer, Store } from './store-engine.ts'

const words = (text: string): readonly string[] => text.split(' ')

/**
 * The fields that stay readable, in the tables that contain contents: ids, hashes, times, states and verdicts, and the fields
 * used for listings.
 * INVARIANT: every other field is sealed, so a new one is sealed until it is named here.
 */
const READABLE: Readonly<Record<string, readonly string[]>> = {
  calls: words(
    'v call_id caller tool_id server definition_hash args_hash folded_hash thread trace received_at verdict policy_version idempotent attempt approval_id held_until run_id boot started_at ended_at expired_at in_memory by_run',
  ),
  approvals: words(
    'v in_memory approval_id call_id run_id tool_id definition_hash args_hash caller thread by_run policy_version strength created_at expires_at replaces replaced_by counted texts_expired_at',
  ),
  runs: words('v run_id in_memory cursor driver timers created_at ended_at expired_at document volatile'),
  labels: words('v label_id in_memory at kind trust'),
  habits: words('v caller'),
}

type Fields = Readonly<Record<string, unknown>>
const placeOf = (table: string, id: string) => `${table} ${id}`

/** The row with its contents sealed. */
export function sealRow(sealer: Sealer, table: Table, id: string, row: object): object {
  const readable = READABLE[table]
  if (readable === undefined) return row
  const listed = listedFields(table)
  const open: Record<string, unknown> = {}
  const closed: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(row)) {
    if (readable.includes(field) || listed.includes(field)) open[field] = value
    else closed[field] = value
  }
  if (Object.keys(closed).length === 0) return row
  return { ...open, sealed: sealer.seal(JSON.stringify(closed), placeOf(table, id)) }
}

/** The original row. One that was never sealed is returned unchanged. */
export function openRow<T extends Table>(sealer: Sealer, table: T, id: string, row: Rows[T]): Rows[T] {
  const { sealed, ...open } = row as Fields
  if (typeof sealed !== 'string' || READABLE[table] === undefined) return row
  return { ...open, ...(JSON.parse(sealer.open(sealed, placeOf(table, id))) as object) } as Rows[T]
}

export function sealEvent(sealer: Sealer, run: string, event: object): object {
  return { type: (event as RunEvent).type, sealed: sealer.seal(JSON.stringify(event), placeOf('events', run)) }
}

function openEvent(sealer: Sealer, run: string, event: RunEvent): RunEvent {
  const { sealed } = event as Fields
  return typeof sealed === 'string' ? (JSON.parse(sealer.open(sealed, placeOf('events', run))) as RunEvent) : event
}

/** The id field of each sealed table. */
const ID_FIELD: Readonly<Record<string, string>> = {
  calls: 'call_id',
  approvals: 'approval_id',
  runs: 'run_id',
  labels: 'label_id',
  habits: 'caller',
}

/** Wraps the store; only the holder of the key can read its contents. Rows that were stored before stay readable. */
export function sealStore(store: Store, sealer: Sealer): Store {
  const sealed = (change: Change): Change => {
    if (change.kind === 'event')
      return { ...change, event: sealEvent(sealer, change.run, change.event) as typeof change.event }
    if (change.kind !== 'swap') return change
    return { ...change, to: sealRow(sealer, change.table, change.id, change.to) } as Change
  }
  const opened = <T extends Table>(table: T, held: Stored<T>): Stored<T> => {
    const id = String((held.row as Fields)[ID_FIELD[table] ?? ''])
    return { ...held, row: openRow(sealer, table, id, held.row) }
  }
  const { ledger, tables, searches, journal } = store
  return {
    ...store,
    ledger: {
      commit: (changes) => ledger.commit(changes.map(sealed)),
      resultOf: (id) => ledger.resultOf(id),
    },
    tables: {
      async row(table, id) {
        const held = await tables.row(table, id)
        return held === undefined ? undefined : { ...held, row: openRow(sealer, table, id, held.row) }
      },
      list: async (table, where, page) => (await tables.list(table, where, page)).map((held) => opened(table, held)),
      count: (table, where) => tables.count(table, where),
    },
    searches: {
      async search(table, where, page) {
        const found = await searches.search(table, where, page)
        return { ...found, items: found.items.map((held) => opened(table, held)) }
      },
    },
    journal: {
      async events(run, after, limit) {
        const events = await journal.events(run, after, limit)
        return events.map(({ seq, event }) => ({ seq, event: openEvent(sealer, run, event) }))
      },
      due: (...asked) => journal.due(...asked),
      nextDue: (now) => journal.nextDue(now),
      onWake: (listener) => journal.onWake(listener),
    },
  }
}
