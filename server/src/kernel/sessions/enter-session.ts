import type { CallRow } from '../contract/call.ts'
import { DECIDING_KINDS, type Caller } from '../contract/caller.ts'
import { labelSession, type LabelRow } from './label.ts'
import { ok, type Result } from '../contract/problems.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import { idleSession } from '../identity/idle-session.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock, Digest } from '../ports/runtime.ts'
import { ownerOf } from '../runs/may-see-run.ts'
import { anyRequestLabel, textLabel, type Entering } from './labels.ts'
import type { Sessions } from '../ports/sessions.ts'

/** Who reads, and in which session. Without one, the caller's default session, as for its calls. */
export type Reader = { readonly caller: Caller; readonly thread?: string }

/** A part of an answer that somebody other than the reader wrote. */
export type AnswerText =
  /** The answer of a call. */
  | { readonly call: string }
  /** The preview of a request. */
  | { readonly approval: string }
  /**
   * A text. `of_call` or `of_run` says what it belongs to: in that session it is already known, and the text of a run may be one that must
   * not be stored.
   */
  | { readonly text: string; readonly name: string; readonly of_call?: string; readonly of_run?: string }

export type EnterPorts = {
  readonly tables: Pick<Tables, 'row'>
  readonly ledger: Ledger
  readonly sessions: Pick<Sessions, 'note'>
  readonly digest: Digest
  readonly clock: Clock
  /** Retries in the background until it succeeds. */
  readonly persist: (attempt: () => Promise<boolean>) => void
}

const TRIES = 4

/**
 * Adds what somebody reads to the session it is read in, before they get it.
 * INVARIANT: the texts in a door's answer are in the session of the reader, or the answer is withheld. Only approvers get it
 * anyway: they must see requests even if nothing can be written, and the labels follow later.
 */
export async function enterSession(
  deps: EnterPorts,
  { caller, thread: named }: Reader,
  parts: readonly AnswerText[],
): Promise<Result<void>> {
  if (parts.length === 0) return ok(undefined)
  const isDecider = DECIDING_KINDS.includes(caller.kind)
  // Read together: on a remote store each read is a round trip.
  const [thread, calls] = await Promise.all([
    named === undefined ? idleSession(deps, caller) : ok(named),
    Promise.all(parts.map((one) => callOf(deps, one))),
  ])
  if (!thread.ok) return isDecider ? ok(undefined) : thread
  const session = { caller, thread: thread.value }
  const labels = await Promise.all(parts.map((one, at) => labelsFor(deps, session, one, calls[at])))
  const kept = await keep(deps, labels.flat())
  if (kept === 'nothing new') return ok(undefined)
  if (kept === 'kept') deps.sessions.note(caller, thread.value)
  else if (!isDecider) return refuseUnrecorded(kept)
  else deps.persist(async () => typeof (await keep(deps, labels.flat())) === 'string')
  return ok(undefined)
}

/** For a call that is already loaded: its answer is read in another session. */
export const enterCall = (deps: EnterPorts, reader: Reader, { call_id, result }: CallRow): Promise<Result<void>> =>
  enterSession(deps, reader, result === undefined ? [] : [{ call: call_id }])

type LabelSwap = Extract<Change, { kind: 'swap' }>
type ReadingIn = { readonly caller: Caller; readonly thread: string }

async function callOf({ tables }: EnterPorts, part: AnswerText): Promise<CallRow | undefined> {
  if ('approval' in part) return undefined
  const call_id = 'call' in part ? part.call : part.of_call
  return call_id === undefined ? undefined : (await tables.row('calls', call_id))?.row
}

/** None if the text is already known. `call`: the one that the text belongs to. */
async function labelsFor(
  deps: EnterPorts,
  { caller, thread }: ReadingIn,
  part: AnswerText,
  call: CallRow | undefined,
): Promise<LabelSwap[]> {
  const session = labelSession(caller, thread)
  if ('approval' in part) return previewLabels(deps, session, part.approval)
  if (call !== undefined && labelSession(call.caller, call.thread) === session) return []
  const at = deps.clock()
  if ('call' in part) {
    if (call?.result === undefined) return []
    const label_id = `${deps.digest(JSON.stringify([session, part.call, call.ended_at ?? 0]))}.read`
    const source = { call: part.call, server: call.server, name: call.tool_id }
    return [swapOf({ v: 1, label_id, session, at, kind: 'output', source })]
  }
  const run_id = part.of_run ?? call?.by_run?.run_id
  const run = run_id === undefined ? undefined : (await deps.tables.row('runs', run_id))?.row
  const owner = call?.caller ?? (run === undefined ? undefined : ownerOf(run))
  if (run?.thread !== undefined && labelSession(owner ?? caller, run.thread) === session) return []
  const entering: Entering = {
    id: `${deps.digest(JSON.stringify([session, part.name, part.text]))}.read`,
    caller,
    thread,
    kind: 'text',
    source: { name: part.name, ...(call === undefined ? {} : { server: call.server, name: call.tool_id }) },
    text: part.text,
    at,
  }
  const labels = run?.volatile === true ? anyRequestLabel(entering) : textLabel(entering)
  const of_user = owner === undefined || owner.user === caller.user ? {} : { of_user: owner.user }
  return labels.flatMap((one) => (one.kind === 'swap' ? [swapOf({ ...(one.to as LabelRow), ...of_user })] : []))
}

async function previewLabels(deps: EnterPorts, session: string, approval: string): Promise<LabelSwap[]> {
  const request = (await deps.tables.row('approvals', approval))?.row
  if (request?.preview === undefined || labelSession(request.caller, request.thread) === session) return []
  const label_id = `${deps.digest(JSON.stringify([session, approval]))}.read`
  const server = (await deps.tables.row('calls', request.call_id))?.row.server
  const source = { approval, name: request.tool_id, ...(server === undefined ? {} : { server }) }
  return [swapOf({ v: 1, label_id, session, at: deps.clock(), kind: 'preview', source })]
}

const swapOf = (to: LabelRow): LabelSwap => ({ kind: 'swap', table: 'labels', id: to.label_id, from: 'absent', to })

/** A concurrent reader may add the same label: then the others still have to be added. */
async function keep(deps: EnterPorts, labels: readonly LabelSwap[]) {
  for (let tries = 1; ; tries += 1) {
    const missing: LabelSwap[] = []
    for (const label of new Map(labels.map((one) => [one.id, one])).values())
      if ((await deps.tables.row('labels', label.id)) === undefined) missing.push(label)
    if (missing.length === 0) return tries === 1 ? 'nothing new' : 'kept'
    const kept = await deps.ledger.commit(missing)
    if (kept === 'committed') return 'kept'
    if (isUnrecorded(kept)) return kept
    if (tries >= TRIES) return 'unavailable' as const
  }
}
