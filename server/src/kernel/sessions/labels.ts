import type { CallRow } from '../contract/call.ts'
import type { Caller } from '../contract/caller.ts'
import { PROGRAM_KINDS } from '../contract/caller.ts'
import type { CallerNames } from '../contract/caller-identity.ts'
import { artifactSources, labelSession, type LabelRow, type LabelSource } from './label.ts'
import { MOST_WORDS_TEXT, type UserText } from '../contract/call-body.ts'
import type { Change } from '../ports/ledger.ts'

const DAY_MS = 86_400_000
const dayOf = (at: number): string => String(Math.floor(at / DAY_MS))

/** The answer of a call enters its session together with the outcome. `version` makes the id unique if it is run again. */
export function outputLabel(row: CallRow, version: number, at: number): Change[] {
  if (row.result === undefined) return []
  const label_id = `${row.call_id}.${version}`
  const to: LabelRow = {
    v: 1,
    label_id,
    session: labelSession(row.caller, row.thread),
    at,
    kind: 'output',
    source: { call: row.call_id, server: row.server, name: row.tool_id },
  }
  return [{ kind: 'swap', table: 'labels', id: label_id, from: 'absent', to }, ...sourceOfArtifact(row, to)]
}

/** Where a stored output came from, so that a session that reads it later gets the same label. */
function sourceOfArtifact({ caller, output }: CallRow, { session, ...label }: LabelRow): Change[] {
  if (output?.evicted !== true || output.pointer === undefined) return []
  const id = `${label.label_id}.artifact`
  const named = artifactSources(caller.user, output.pointer.replace('artifact://', ''))
  const to: LabelRow = { ...label, label_id: id, session: named, first_session: session }
  return [{ kind: 'swap', table: 'labels', id, from: 'absent', to }]
}

/** A text that is in no other row. Longer text is cut, and a label records that something is missing. */
const MOST_TEXT = 262_144

export type Entering = {
  /** Unique: the id of its origin. */
  readonly id: string
  readonly caller: CallerNames
  readonly thread: string
  readonly kind: Exclude<LabelRow['kind'], 'words' | 'output'>
  readonly source: LabelSource
  readonly text: string
  readonly at: number
}

export function textLabel({ id, caller, thread, kind, source, text, at }: Entering): Change[] {
  if (text === '') return []
  const session = labelSession(caller, thread)
  const label_id = `${id}.${kind}`
  const whole: LabelRow = {
    v: 1,
    label_id,
    session,
    at,
    kind,
    source,
    text: text.slice(0, MOST_TEXT),
    ended_day: dayOf(at),
  }
  // A label without a text: the session received something that cannot be read.
  const rest: LabelRow = { v: 1, label_id: `${label_id}.rest`, session, at, kind, source: {} }
  const labels = text.length > MOST_TEXT ? [whole, rest] : [whole]
  return labels.map((to) => ({ kind: 'swap', table: 'labels', id: to.label_id, from: 'absent', to }))
}

/** The session received something that may ask for anything. The label has no text, so it counts as unreadable. */
export function anyRequestLabel({ id, caller, thread, kind, source, at }: Omit<Entering, 'text'>): Change[] {
  const label_id = `${id}.${kind}.any`
  const to: LabelRow = { v: 1, label_id, session: labelSession(caller, thread), at, kind, source }
  return [{ kind: 'swap', table: 'labels', id: label_id, from: 'absent', to }]
}

/** Log lines and progress messages of a call. */
export function logLabel(row: CallRow, version: number, text: string, at: number): Change[] {
  const { call_id, caller, thread, server, tool_id } = row
  return textLabel({
    id: `${call_id}.${version}`,
    caller,
    thread,
    kind: 'log',
    source: { server, name: tool_id },
    text,
    at,
  })
}

export function wordsLabel(id: string, caller: Caller, thread: string, words: UserText, at: number): Change[] {
  const text = words.text.slice(0, MOST_WORDS_TEXT)
  if (text.trim() === '') return []
  const label_id = `${id}.words`
  const to: LabelRow = {
    v: 1,
    label_id,
    session: labelSession(caller, thread),
    at,
    kind: 'words',
    source: { name: caller.id },
    trust: words.trust,
    text,
    ended_day: dayOf(at),
  }
  return [{ kind: 'swap', table: 'labels', id: label_id, from: 'absent', to }]
}

/** Whose words they are: a person's own, or what a program reports as its user's. */
export function trustOf(caller: Caller): UserText['trust'] {
  return PROGRAM_KINDS.includes(caller.kind) && caller.speaks_for_user !== true ? 'claimed' : 'user'
}
