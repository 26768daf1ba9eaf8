import { Caller, PROGRAM_KINDS } from '../../kernel/contract/caller.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import type { RunId } from '../../kernel/contract/ids.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { invalidKey, invalidThread, isIdempotencyKey, isThreadName } from '../../kernel/contract/request-names.ts'
import type { ToolflowBody, ToolflowSettings, ToolflowView } from './toolflow.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import { mayContinue } from '../../kernel/identity/grants.ts'
import { beginRun } from '../../kernel/runs/begin-run.ts'
import { startToolflow, type ToolflowState } from './state.ts'
import { toolflow } from './step.ts'
import type { StoredVolume } from '../../kernel/attempt/stored-volume.ts'
import type { Intake } from '../../kernel/attempt/intake.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import type { Clock, Digest, Ids } from '../../kernel/ports/runtime.ts'
import { newRunChanges } from '../../kernel/runs/run-changes.ts'
import { flowOf, waitForView, type ReadToolflowPorts } from './read-toolflow.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { refuse } from './problems.ts'

export type RunToolflowPorts = ReadToolflowPorts & {
  readonly intake: Intake
  readonly volume: StoredVolume
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly digest: Digest
  readonly toolflow: ToolflowSettings
}

/** What is needed to find a run by its key. */
export type RunKeyPorts = Pick<RunToolflowPorts, 'tables' | 'digest'>

export type RunToolflow = {
  readonly trace?: string
  /** The same key and request are the same flow. */
  readonly idempotency_key?: string
  readonly wait_ms?: number
}

const WAIT_MS = 30_000

/**
 * Starts a flow and waits for it to end or wait. It continues without its caller: the run is recorded before the first step, and
 * the driver does the rest. Secrets in the prompt are not stored.
 */
export async function runToolflow(
  deps: RunToolflowPorts,
  caller: Caller,
  asked: ToolflowBody,
  { trace, idempotency_key, wait_ms = WAIT_MS }: RunToolflow = {},
): Promise<Result<ToolflowView>> {
  const closed = deps.intake.closedBy()
  if (closed !== undefined) return { ok: false, problem: closed }
  const over = await deps.volume.over(caller)
  if (over !== undefined) return { ok: false, problem: over }
  if (idempotency_key !== undefined && !isIdempotencyKey(idempotency_key)) return { ok: false, problem: invalidKey() }
  if (asked.thread !== undefined && !isThreadName(asked.thread)) return { ok: false, problem: invalidThread() }
  // Only a person may say which tool is meant: an agent that is sure calls the tool itself, and is judged for that.
  if (asked.skill_id !== undefined && PROGRAM_KINDS.includes(caller.kind))
    return refuse('auth.forbidden', { needs: 'user, approver, reviewer, admin', for: 'skill_id' })
  const args = canonicalJson(asked.args ?? {})
  if (!args.ok) return args
  const run_id = idempotency_key === undefined ? deps.ids.run() : await runOf(deps, caller, idempotency_key)
  const body = await withoutSecrets(deps, asked)
  const asked_hash = deps.digest(askedText(body, args.value))
  deps.volume.add(caller, body.user_prompt, args.value)
  const flow = { run_id, caller, trace: trace ?? deps.ids.trace(), asked_hash, body, limits: deps.toolflow }
  const recorded = await record(deps, caller, startToolflow(flow))
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  if (recorded !== 'committed' && !(await isSame(deps, caller, run_id, asked_hash)))
    return refuse('toolflow.key_reused', { run_id })
  return ok(await waitForView(deps, run_id, wait_ms, ({ status }) => status !== 'RUNNING'))
}

/**
 * A caller's own key names one run, without a table of keys. Runs of earlier releases are named after the id alone: such a run
 * belongs to this caller only if the same user started it.
 */
export async function runOf(deps: RunKeyPorts, caller: Caller, key: string): Promise<RunId> {
  const named = (...parts: readonly string[]): RunId =>
    `run_${deps.digest(JSON.stringify(['toolflow', ...parts])).slice(0, 16)}`
  const former = named(caller.id, key)
  const flow = await flowOf(deps, caller, former)
  const isOwn = flow !== undefined && mayContinue(caller, Caller.parse(flow.state.caller))
  return isOwn ? former : named(caller.id, caller.user, key)
}

async function withoutSecrets({ judgement }: RunToolflowPorts, body: ToolflowBody): Promise<ToolflowBody> {
  const clean = (text: string) => judgement.scanner.redact(text, 'shown')
  return {
    ...body,
    user_prompt: await clean(body.user_prompt),
    ...(body.query === undefined ? {} : { query: await clean(body.query) }),
  }
}

const askedText = ({ args: _, ...body }: ToolflowBody, args: string) => JSON.stringify([body, args])

async function record(deps: RunToolflowPorts, caller: Caller, state: ToolflowState) {
  const { run_id, trace } = state
  const now = deps.clock()
  const run = beginRun(toolflow, run_id, { state }, now, { owner: callerIdentity(caller), thread: state.thread })
  const about = {
    asked_hash: state.asked_hash,
    top_k: state.top_k,
    ...(state.chosen === null ? {} : { chosen: state.chosen }),
  }
  return deps.ledger.commit([
    ...newRunChanges(run, { type: 'toolflow.started' }),
    {
      kind: 'audit',
      entry: { at: now, type: 'toolflow.started', actor: caller.id, trace, subject: { run: run_id }, about },
    },
  ])
}

/** Whether the same caller has made the same request under this key before. */
async function isSame(deps: RunToolflowPorts, caller: Caller, run_id: RunId, asked_hash: string): Promise<boolean> {
  const flow = await flowOf(deps, caller, run_id)
  return flow !== undefined && flow.state.asked_hash === asked_hash
}
