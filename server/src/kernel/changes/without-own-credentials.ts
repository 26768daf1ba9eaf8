import type { Json } from '../contract/json.ts'
import type { Change, Ledger, Rows, Table } from '../ports/ledger.ts'

/** Removes the gate's own credentials from a value; the value itself if it contains none. */
export type RedactOwn = <T>(value: T) => T

/**
 * What was searched before it came here: arguments when the call was judged, answers of tool servers when they arrived, definitions when they
 * were listed. Everything else in a row is searched, also the fields that do not exist yet.
 */
const SEARCHED_BEFORE: { readonly [T in Table]?: readonly (keyof Rows[T])[] } = {
  calls: ['canonical_args', 'result'],
  approvals: ['canonical_args', 'edited_from', 'shown', 'preview', 'preview_raw'],
  tools: ['definition', 'admitted'],
}

/**
 * Wraps the ledger, so that none of the gate's own credentials is stored, whichever door and field it came through.
 * INVARIANT: ids and keys are stored as they are: names that contain a credential are refused where they enter.
 */
export function withoutOwnCredentials(ledger: Ledger, redactOwn: RedactOwn): Ledger {
  return { commit: (changes) => ledger.commit(cleaned(changes, redactOwn)) }
}

function cleaned(changes: readonly Change[], redactOwn: RedactOwn): readonly Change[] {
  const clean = changes.map((change) => cleanedChange(change, redactOwn))
  return clean.every((change, at) => change === changes[at]) ? changes : clean
}

function cleanedChange(change: Change, redactOwn: RedactOwn): Change {
  switch (change.kind) {
    case 'swap': {
      const to = cleanedRow(change.table, change.to, redactOwn)
      return to === change.to ? change : ({ ...change, to } as Change)
    }
    case 'event': {
      const event = redactOwn(change.event)
      return event === change.event ? change : { ...change, event }
    }
    case 'audit': {
      const entry = redactOwn(change.entry)
      return entry === change.entry ? change : { ...change, entry }
    }
    default:
      return change
  }
}

function cleanedRow<T extends Table>(table: T, row: Rows[T], redactOwn: RedactOwn): Rows[T] {
  const skipped = SEARCHED_BEFORE[table] as readonly string[] | undefined
  let copy: Record<string, Json> | undefined
  for (const [name, value] of Object.entries(row) as [string, Json][]) {
    if (skipped?.includes(name) === true) continue
    const clean = redactOwn(value)
    if (clean === value) continue
    copy ??= { ...row } as unknown as Record<string, Json>
    copy[name] = clean
  }
  return copy === undefined ? row : (copy as unknown as Rows[T])
}
