import { Caller } from '../../kernel/contract/caller.ts'
import type { CallRow } from '../../kernel/contract/call.ts'
import { RunId } from '../../kernel/contract/ids.ts'
import { Bug, ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { isEndedRun, type RunRow } from '../../kernel/contract/run.ts'
import type { ToolflowView } from './toolflow.ts'
import { cardOf, type CallNow } from './cards.ts'
import type { ToolflowState } from './state.ts'
import { toolflow } from './step.ts'
import { mayReadWorkOf } from '../../kernel/identity/grants.ts'
import { waitForRun } from '../../kernel/runs/wait-for-run.ts'
import { describeCall } from '../../kernel/attempt/describe-call.ts'
import { shownPacketOf, type ApprovalReadDeps } from '../../kernel/approvals/read-approvals.ts'
import type { ReadCallDeps } from '../../kernel/attempt/read-call.ts'

export type ReadToolflowDeps = ReadCallDeps & ApprovalReadDeps

/** The current state of a flow, after waiting a limited time for it to end or wait. It searched all tools of its caller. */
export async function readToolflow(
  deps: ReadToolflowDeps,
  caller: Caller,
  run_id: string,
  wait_ms = 0,
): Promise<Result<ToolflowView>> {
  const flow = await flowOf(deps, caller, run_id)
  if (flow === undefined) return refuse('toolflow.unknown', { run_id })
  if (flow.run.expired_at !== undefined) return refuse('toolflow.expired', { run_id })
  return ok(await waitForView(deps, flow.run.run_id, wait_ms, ({ status }) => status !== 'RUNNING'))
}

export type Flow = { readonly run: RunRow; readonly state: ToolflowState }

/** Undefined if there is none, or if this caller may not see it. */
export async function flowOf(
  { tables }: Pick<ReadToolflowDeps, 'tables'>,
  caller: Caller,
  run_id: string,
): Promise<Flow | undefined> {
  const run = RunId.safeParse(run_id).success ? (await tables.row('runs', run_id))?.row : undefined
  if (run?.kind !== toolflow.kind) return undefined
  // The state of an expired flow contains only its caller.
  const state = stateOf(run)
  return mayReadWorkOf(caller, Caller.parse(state.caller)) ? { run, state } : undefined
}

/** The row was written by this kind's own step. */
const stateOf = (run: RunRow) => run.state as ToolflowState

/** The first view that has ended or waits, or the last one when the time is over. */
export const waitForView = (
  deps: ReadToolflowDeps,
  run_id: RunId,
  wait_ms: number,
  isAtRest: (view: ToolflowView) => boolean,
): Promise<ToolflowView> => waitForRun(deps, run_id, wait_ms, () => viewNow(deps, run_id), isAtRest)

async function viewNow(deps: ReadToolflowDeps, run_id: RunId): Promise<ToolflowView> {
  const run = (await deps.tables.row('runs', run_id))?.row
  if (run === undefined) throw new Bug(`the run \`${run_id}\` no longer exists`)
  const state = stateOf(run)
  const call_id = state.call?.call_id ?? undefined
  const call = call_id === undefined ? undefined : (await deps.tables.row('calls', call_id))?.row
  return viewOf(run, state, call === undefined ? undefined : await callNow(deps, call))
}

async function callNow(deps: ReadToolflowDeps, row: CallRow): Promise<CallNow> {
  const outcome = describeCall(row, deps.links)
  if (outcome.status !== 'pending') return { outcome }
  const approval = await deps.tables.row('approvals', outcome.approval_id)
  return approval === undefined ? { outcome } : { outcome, packet: await shownPacketOf(deps, approval) }
}

function viewOf(run: RunRow, state: ToolflowState, call: CallNow | undefined): ToolflowView {
  const { run_id, node, path, user_prompt, query, top_k, candidates, selected_skill_id, card, judged } = state
  const shown = {
    node,
    path,
    user_prompt,
    query,
    top_k,
    candidates: candidates ?? [],
    selected_skill_id,
    skill_card: card === null ? null : { title: card.title, purpose: card.purpose, risk: card.risk },
    decision: judged?.evidence.gate_status ?? null,
    dry_run_supported: card?.dry_run_supported ?? null,
    dry_run_result: state.dry_run_result,
    exec_result: call?.outcome ?? null,
    call_id: state.call?.call_id ?? null,
  }
  if (!isEndedRun(run) && !isWaiting(state, call)) return { run_id, status: 'RUNNING', state: shown }
  const { status, output } = cardOf(state, call)
  return { run_id, status, state: shown, ...output }
}

/** For a person: to decide about the held call, or to settle one with an unknown outcome. The call's own row decides. */
function isWaiting({ call }: ToolflowState, now: CallNow | undefined): boolean {
  return call !== null && call.status === now?.outcome.status && ['pending', 'unknown'].includes(call.status)
}
