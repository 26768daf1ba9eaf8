import type { AuditDraft } from '../contract/audit.ts'
import type { CallRow, Outcome, ToolResult } from '../contract/call.ts'
import type { Json } from '../contract/json.ts'
import { Bug, problem, type Problem } from '../contract/problems.ts'
import { inForce, type Tool } from '../contract/tool.ts'
import { EVICT_OVER, evicted, interpret, kept, outputText, shortened, type Interpretation } from './interpret.ts'
import { replyValue, planReadBack } from './standard/plan-read-back.ts'
import { sendableArgs } from '../json/split-inputs.ts'
import { auditOf } from './call-changes.ts'
import { rollbackAbout, unplanned } from './standard/check-call.ts'
import { describeCall, type Links } from './describe-call.ts'
import { collectMessages, holdBack, type HeldBack, type MessageListeners } from './call-messages.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { Change } from '../ports/ledger.ts'
import type { CancelSignal } from '../ports/cancel.ts'
import type { CallListeners, ToolReply, UpstreamCall } from '../ports/upstream.ts'
import { dayOf, hasEnded } from '../retention/end-days.ts'
import { isUnrecorded, whyUnrecorded } from '../changes/unrecorded.ts'
import type { StoredVolume } from './stored-volume.ts'
import type { RunningCalls } from './running-calls.ts'
import { logLabel, outputLabel } from '../sessions/labels.ts'
import type { Sessions } from '../ports/sessions.ts'
import { rollbackFor } from './standard/rollback.ts'
import { namesSecrets, unsealArgs, withoutValues, type SecretValue } from './call-secrets.ts'
import { unverifiedChange, verifyCall, type VerifyDeps } from './standard/verify-call.ts'

export type ExecuteDeps = VerifyDeps & {
  readonly artifacts: Artifacts
  readonly links: Links
  readonly running: RunningCalls
  readonly volume: Pick<StoredVolume, 'add'>
  readonly sessions: Pick<Sessions, 'note'>
  /** Absent if no call names a secret. */
  readonly secretValue?: SecretValue
}

/** A call whose `executing` mark is stored, and the version of that row. */
export type StartedCall = {
  readonly row: CallRow
  readonly version: number
  /** The generation of the tool server that the call was judged for. */
  readonly generation?: number
  /** The `executing` mark survives a killed process but not yet a power failure: nothing reaches the caller before it is durable. */
  readonly unsynced?: boolean
}
export type ExecuteCall = (started: StartedCall, listeners?: CallListeners) => Promise<Outcome>

/**
 * Steps 9 to 11 of the corridor: the only function that reaches a tool, used by the dispatcher and by the driver.
 * INVARIANT: the row is stored as `executing`, and only the process that wrote that mark calls this.
 */
export async function executeCall(
  deps: ExecuteDeps,
  started: StartedCall,
  listeners: CallListeners = NO_LISTENERS,
): Promise<Outcome> {
  const { row, version } = started
  if (row.state !== 'executing') throw new Bug('only a call marked executing is executed')
  const tool = deps.catalogue.tool(row.tool_id)
  if (tool === undefined) throw new Bug('a decided call has a tool')
  const held = started.unsynced === true ? holdBack(listeners, () => makeDurable(deps)) : undefined
  const collected = collectMessages(held?.listeners ?? listeners)
  const running = deps.running.begin(row.call_id, listeners.signal)
  listeners.onStarted?.(row.call_id)
  deps.probe('upstream.before')
  const answer = await send(deps, row, upstreamCall(deps, started, tool, collected.listeners, running.signal))
  const called_off_by = running.end()
  deps.probe('upstream.after')
  const checked = await checkOutput(deps, interpret(answer, row), tool)
  const consequences = await consequencesOf(deps, row, tool, checked)
  const ended = await endedRow(deps, row, consequences, called_off_by, checked, tool)
  return recordOutcome(deps, ended, version, collected.text(), held)
}

const NO_LISTENERS: CallListeners = {}

/** An empty commit makes all earlier ones durable. */
const makeDurable = async ({ ledger }: ExecuteDeps): Promise<boolean> => (await ledger.commit([])) === 'committed'

type Written<T> = { -readonly [Field in keyof T]: T[Field] }

/** One object per call: fields that most calls do not have are added to it. */
function upstreamCall(
  { catalogue }: ExecuteDeps,
  { row, generation }: StartedCall,
  tool: Tool,
  { onProgress, onLog, reported }: MessageListeners,
  signal: CancelSignal,
): UpstreamCall {
  const { canonical_args, inputs } = sendableArgs(row.canonical_args)
  const call: Written<UpstreamCall> = {
    server: row.server,
    tool: tool.row.definition.name,
    canonical_args,
    idempotency_key: row.call_id,
    user: row.caller.user,
    trace: row.trace,
    signal,
    isCurrent: () => catalogue.tool(row.tool_id)?.row.definition_hash === tool.row.definition_hash,
  }
  if (generation !== undefined) call.generation = generation
  if (inputs !== undefined) call.inputs = inputs
  if (row.attempt > 1) call.repeats_since = row.received_at
  if (row.by_run?.transport !== undefined) call.transport = row.by_run.transport
  if (row.answerable !== undefined) call.answerable = row.answerable
  if (onProgress !== undefined) call.onProgress = onProgress
  if (onLog !== undefined) call.onLog = onLog
  if (reported !== undefined) call.reported = reported
  return call
}

const send = (deps: ExecuteDeps, row: CallRow, call: UpstreamCall): Promise<ToolReply> =>
  namesSecrets(row) ? sendUnsealed(deps, row, call) : deps.servers.call(call)

async function sendUnsealed(
  { servers, secretValue }: ExecuteDeps,
  row: CallRow,
  call: UpstreamCall,
): Promise<ToolReply> {
  const unsealed = await unsealArgs(secretValue, row)
  if ('code' in unsealed) return { is: 'not_sent', problem: unsealed }
  const answer = await servers.call({ ...call, ...sendableArgs(unsealed.canonical_args) })
  return withoutValues(answer, unsealed.values)
}

type Consequences = Pick<CallRow, 'rollback' | 'evidence' | 'due' | 'read_back'>

/** The answer shows what would undo the call, and what to read back. Computed from the answer before it is cut. */
async function consequencesOf(
  deps: ExecuteDeps,
  row: CallRow,
  tool: Tool,
  { state, result }: Interpretation,
): Promise<Consequences | undefined> {
  if (state !== 'executed' || result === undefined) return undefined
  if (tool.rollback === undefined && tool.verify === undefined) return undefined
  const args: Json = JSON.parse(row.canonical_args)
  const sources = { args, result: replyValue(result) }
  const rollback = await rollbackFor(deps, row, tool, sources)
  if (tool.verify === undefined) return rollback
  const planned = planReadBack(tool.verify, sources)
  return planned.ok
    ? { ...rollback, due: 'verify', read_back: planned.plan }
    : { ...rollback, evidence: { ...row.evidence, verify: unplanned(deps, row, tool.verify, planned.says) } }
}

/** The effect took place; an answer that violates the tool's own schema is reported, not passed on as valid. */
async function checkOutput({ judgement }: ExecuteDeps, outcome: Interpretation, tool: Tool): Promise<Interpretation> {
  const { definition, hash } = inForce(tool.row)
  const schema = definition.outputSchema
  if (schema === undefined || outcome.state !== 'executed') return outcome
  const structured = outcome.result?.structuredContent
  const isValid =
    structured !== undefined && (await judgement.scanner.validate(schema, `${hash}/output`, structured)).ok
  return isValid ? outcome : { ...outcome, state: 'failed', problem: problem('tool.output_invalid') }
}

async function endedRow(
  deps: ExecuteDeps,
  row: CallRow,
  consequences: Consequences | undefined,
  called_off_by: string | undefined,
  { state, problem, result }: Interpretation,
  tool: Tool,
): Promise<CallRow> {
  // One copy of the row, with everything that its end adds.
  const now = deps.clock()
  const ended: Written<CallRow> = { ...row, ...consequences, state, ended_at: now }
  if (called_off_by !== undefined) ended.called_off = { by: called_off_by, at: now }
  if (problem !== undefined) ended.problem = problem
  if (hasEnded(ended)) ended.ended_day = dayOf(now)
  if (result === undefined) return ended
  const text = outputText(result)
  deps.volume.add(row.caller, text)
  if (text.length > (row.evict_over ?? EVICT_OVER))
    return Object.assign(ended, await evict(deps, row, result, text, tool))
  ended.result = result
  ended.output = kept(text.length)
  return ended
}

type Output = Pick<CallRow, 'result' | 'output'>

async function evict(deps: ExecuteDeps, row: CallRow, result: ToolResult, text: string, tool: Tool): Promise<Output> {
  const digest = await deps.artifacts.put(row.caller.user, text, row.by_run?.run_id)
  // If a large output cannot be stored, it is returned in full: losing it would be worse than its size.
  if (digest === undefined) return { result, output: kept(text.length) }
  const { definition, hash } = inForce(tool.row)
  const schema = definition.outputSchema
  const { structuredContent, isError } = result
  if (schema === undefined || structuredContent === undefined || isError === true) return evicted(result, text, digest)
  // A client checks the structured content against the schema it was shown, so the cut version must still match.
  const structured = shortened(structuredContent, digest, row.evict_over ?? EVICT_OVER)
  const isValid =
    structured !== undefined && (await deps.judgement.scanner.validate(schema, `${hash}/output`, structured)).ok
  return evicted(result, text, digest, isValid ? { structured } : { isError: true })
}

/** The row of an ended call, its audit entry, and what enters the session. */
function outcomeChanges(deps: ExecuteDeps, row: CallRow, version: number, messages: string): Change[] {
  if (row.state === 'pending' || row.state === 'executing') throw new Bug('a call with an outcome has ended')
  const now = deps.clock()
  const about = endAbout(deps, row)
  const more = about === undefined ? { outcome: row.state } : { outcome: row.state, about }
  const changes: Change[] = [
    { kind: 'swap', table: 'calls', id: row.call_id, from: version, to: row },
    { kind: 'audit', entry: auditOf(`call.${row.state}`, row, now, more) },
  ]
  if (messages !== '') changes.push(...logLabel(row, version, messages, now))
  changes.push(...outputLabel(row, version, now))
  if (row.evidence?.verify !== undefined) changes.push(...unverifiedChange(row))
  return changes
}

/** What the audit says about an end besides the state. */
function endAbout({ digest }: ExecuteDeps, row: CallRow): AuditDraft['about'] {
  const { problem, state, rollback } = row
  // An earlier attempt may have been cancelled; this one was not.
  const called_off = (row.called_off?.at ?? 0) >= (row.started_at ?? 0) ? row.called_off : undefined
  if (problem === undefined && rollback === undefined && called_off === undefined) return undefined
  const about = {
    ...(problem === undefined ? {} : { code: problem.code }),
    ...(state === 'executed' ? rollbackAbout(digest, rollback) : {}),
    ...(called_off === undefined ? {} : { called_off_by: called_off.by }),
  }
  return Object.keys(about).length === 0 ? undefined : about
}

async function recordOutcome(
  deps: ExecuteDeps,
  row: CallRow,
  version: number,
  messages: string,
  held: HeldBack | undefined,
): Promise<Outcome> {
  const changes = outcomeChanges(deps, row, version, messages)
  deps.probe('outcome.before')
  const recorded = await deps.ledger.commit(changes)
  deps.probe('outcome.after')
  if (recorded === 'committed') {
    held?.release()
    deps.sessions.note(row.caller, row.thread, row)
    const verified = row.due === undefined ? row : await verifyCall(deps, { row, version: version + 1 })
    return describeCall(verified, deps.links)
  }
  held?.drop()
  if (isUnrecorded(recorded)) return keepTrying(deps, { row, version: version + 1 }, changes, whyUnrecorded(recorded))
  const now = await deps.tables.row('calls', row.call_id)
  if (now === undefined) throw new Bug('a call is never removed')
  return describeCall(now.row, deps.links)
}

/**
 * An outcome that cannot be recorded closes the intake until it can, so that it is not lost. One in doubt is committed again too: if it was
 * stored after all, the row has changed and the second commit is lost.
 */
function keepTrying(deps: ExecuteDeps, ended: StartedCall, changes: readonly Change[], why: Problem): Outcome {
  const open = deps.intake.close(why)
  deps.persist(async () => {
    if (isUnrecorded(await deps.ledger.commit(changes))) return false
    open()
    await verifyCall(deps, ended)
    return true
  })
  return { status: 'unknown', call_id: ended.row.call_id, problem: why }
}
