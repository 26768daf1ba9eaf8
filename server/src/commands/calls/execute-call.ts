import type { CallRow, Outcome, ToolResult } from '../../contract/call.ts'
import type { Json } from '../../contract/json.ts'
import { Bug, problem, type Problem } from '../../contract/problems.ts'
import { inForce, type Tool } from '../../contract/tool.ts'
import {
  EVICT_OVER,
  evicted,
  interpret,
  kept,
  outputText,
  shortened,
  type Interpretation,
} from '../../core/gate/interpret.ts'
import { answerValue } from '../../core/gate/standard/answer-value.ts'
import { planReadBack } from '../../core/gate/standard/plan-read-back.ts'
import { sendableArgs } from '../../core/json/split-inputs.ts'
import { auditOf } from './call-changes.ts'
import { rollbackAbout, unplanned } from './check-call.ts'
import { describeCall, type Links } from './describe-call.ts'
import { holdBack, type HeldBack } from './hold-back.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { Change } from '../ports/ledger.ts'
import type { CallListeners, UpstreamAnswer, UpstreamCall } from '../ports/upstream.ts'
import { isUnrecorded, whyUnrecorded } from '../changes/unrecorded.ts'
import type { RunningCalls } from './running-calls.ts'
import { logLabel, outputLabel } from '../provenance/labels.ts'
import type { Sessions } from '../provenance/sessions.ts'
import { rollbackFor } from './siblings-of.ts'
import { unsealArgs, withoutValues, type SecretValue } from './call-secrets.ts'
import { unverifiedChange, verifyCall, type VerifyDeps } from './verify-call.ts'

export type ExecuteDeps = VerifyDeps & {
  readonly artifacts: Artifacts
  readonly links: Links
  readonly running: RunningCalls
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
  listeners: CallListeners = {},
): Promise<Outcome> {
  const { row, version, generation, unsynced } = started
  if (row.state !== 'executing') throw new Bug('only a call marked executing is executed')
  const tool = deps.catalogue.tool(row.tool_id)
  if (tool === undefined) throw new Bug('a decided call has a tool')
  const { onStarted, ...way } = listeners
  const held = unsynced === true ? holdBack(way, () => makeDurable(deps)) : undefined
  const heard = overhear(held?.listeners ?? way)
  const under_way = deps.running.begin(row.call_id, way.signal)
  onStarted?.(row.call_id)
  deps.probe('upstream.before')
  const answer = await send(deps, row, tool, {
    ...(generation === undefined ? {} : { generation }),
    isCurrent: () => deps.catalogue.tool(row.tool_id)?.row.definition_hash === tool.row.definition_hash,
    ...heard.listeners,
    signal: under_way.signal,
  })
  const called_off_by = under_way.end()
  deps.probe('upstream.after')
  const checked = await checkOutput(deps, interpret(answer, row), tool)
  const called_off = called_off_by === undefined ? {} : { called_off: { by: called_off_by, at: deps.clock() } }
  const consequences = { ...(await consequencesOf(deps, row, tool, checked)), ...called_off }
  const ended = await endedRow(deps, row, consequences, checked, tool)
  return await recordOutcome(deps, ended, version, heard.text(), held)
}

/** An empty commit makes all earlier ones durable. */
const makeDurable = async ({ ledger }: ExecuteDeps): Promise<boolean> => (await ledger.commit([])) === 'committed'

async function send(
  { servers, secretValue }: ExecuteDeps,
  row: CallRow,
  tool: Tool,
  listeners: Omit<CallListeners, 'onStarted'> & Pick<UpstreamCall, 'generation' | 'isCurrent'>,
): Promise<UpstreamAnswer> {
  const unsealed = await unsealArgs(secretValue, row)
  if ('code' in unsealed) return { is: 'not_sent', problem: unsealed }
  const answer = await servers.call({
    server: row.server,
    tool: tool.row.definition.name,
    ...sendableArgs(unsealed.canonical_args),
    idempotency_key: row.call_id,
    ...(row.attempt > 1 ? { repeats_since: row.received_at } : {}),
    ...(row.by_run?.transport === undefined ? {} : { transport: row.by_run.transport }),
    user: row.caller.user,
    trace: row.trace,
    ...(row.answerable === undefined ? {} : { answerable: row.answerable }),
    ...listeners,
  })
  return withoutValues(answer, unsealed.values)
}

type Consequences = Pick<CallRow, 'rollback' | 'evidence' | 'due' | 'read_back' | 'called_off'>

/** The answer shows what would undo the call, and what to read back. Computed from the answer before it is cut. */
async function consequencesOf(
  deps: ExecuteDeps,
  row: CallRow,
  tool: Tool,
  { state, result }: Interpretation,
): Promise<Consequences> {
  if (state !== 'executed' || result === undefined) return {}
  if (tool.rollback === undefined && tool.verify === undefined) return {}
  const args: Json = JSON.parse(row.canonical_args)
  const sources = { args, result: answerValue(result) }
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
  const valid = structured !== undefined && (await judgement.scanner.validate(schema, `${hash}/output`, structured)).ok
  return valid ? outcome : { ...outcome, state: 'failed', problem: problem('tool.output_invalid') }
}

function endedRow(
  deps: ExecuteDeps,
  row: CallRow,
  consequences: Consequences,
  { state, problem, result }: Interpretation,
  tool: Tool,
): CallRow | Promise<CallRow> {
  const ended = (output?: Output): CallRow => ({
    ...row,
    ...consequences,
    state,
    ended_at: deps.clock(),
    ...(problem === undefined ? undefined : { problem }),
    ...output,
  })
  if (result === undefined) return ended()
  const text = outputText(result)
  const most = row.evict_over ?? EVICT_OVER
  if (text.length <= most) return ended({ result, output: kept(text.length) })
  return evict(deps, row, result, text, tool).then(ended)
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

/** How many characters of progress and log lines are kept while it runs. */
const MOST_HEARD = 16_384

/** Wraps the listeners and collects everything they receive: a model reads a log line like an answer. */
function overhear(listeners: Omit<CallListeners, 'onStarted'>): {
  readonly listeners: Omit<CallListeners, 'onStarted'>
  text(): string
} {
  const { onLog, onProgress } = listeners
  if (onLog === undefined && onProgress === undefined) return { listeners, text: () => '' }
  const lines: string[] = []
  let length = 0
  const keep = (line: string) => {
    if (length < MOST_HEARD) lines.push(line.slice(0, MOST_HEARD - length))
    length += line.length
  }
  return {
    listeners: {
      ...listeners,
      ...(onLog === undefined
        ? {}
        : {
            onLog: (line) => {
              keep(JSON.stringify(line['data'] ?? line))
              onLog(line)
            },
          }),
      ...(onProgress === undefined
        ? {}
        : {
            onProgress: (progress) => {
              if (progress.message !== undefined) keep(progress.message)
              onProgress(progress)
            },
          }),
    },
    text: () => lines.join('\n'),
  }
}

async function recordOutcome(
  deps: ExecuteDeps,
  row: CallRow,
  version: number,
  heard: string,
  held: HeldBack | undefined,
): Promise<Outcome> {
  const told = {
    ...(row.problem === undefined ? {} : { code: row.problem.code }),
    ...(row.state === 'executed' ? rollbackAbout(deps.digest, row.rollback) : {}),
    ...(row.called_off === undefined ? {} : { called_off_by: row.called_off.by }),
  }
  const about = Object.keys(told).length === 0 ? {} : { about: told }
  const changes: Change[] = [
    { kind: 'swap', table: 'calls', id: row.call_id, from: version, to: row },
    { kind: 'audit', entry: auditOf(`call.${row.state}`, row, deps.clock(), { outcome: row.state, ...about }) },
    ...logLabel(row, version, heard, deps.clock()),
    ...outputLabel(row, version, deps.clock()),
    ...unverifiedChange(row),
  ]
  deps.probe('outcome.before')
  const recorded = await deps.ledger.commit(changes)
  deps.probe('outcome.after')
  if (recorded === 'committed') held?.release()
  else held?.drop()
  if (recorded === 'committed') deps.sessions.note(row.caller.user, row.thread, row)
  if (recorded === 'committed') return describeCall(await verifyCall(deps, { row, version: version + 1 }), deps.links)
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
