import { Caller } from '../../kernel/contract/caller.ts'
import type { CallRow, Outcome } from '../../kernel/contract/call.ts'
import { RunId } from '../../kernel/contract/ids.ts'
import { Bug, ok, type Result } from '../../kernel/contract/problems.ts'
import { isEndedRun, type RunRow } from '../../kernel/contract/run.ts'
import type { ToolflowView, ToolflowOutput, ToolflowStatus } from './toolflow.ts'
import type { ToolflowState } from './state.ts'
import { toolflow } from './step.ts'
import { mayReadWorkOf } from '../../kernel/identity/grants.ts'
import { waitForRun } from '../../kernel/runs/wait-for-run.ts'
import { describeCall } from '../../kernel/attempt/describe-call.ts'
import { shownPacketOf, type ApprovalReadPorts } from '../../kernel/approvals/read-approvals.ts'
import type { ReadCallDeps } from '../../kernel/attempt/read-call.ts'
import type { ApprovalPacket } from '../../kernel/contract/approval.ts'
import { sayProblem } from '../../kernel/text/say-problem.ts'
import { outputText } from '../../kernel/attempt/interpret.ts'
import { endingOf } from './ending.ts'
import { refuse } from './problems.ts'

export type ReadToolflowPorts = ReadCallDeps & ApprovalReadPorts

/** The current state of a flow, after waiting a limited time for it to end or wait. It searched all tools of its caller. */
export async function readToolflow(
  deps: ReadToolflowPorts,
  caller: Caller,
  run_id: string,
  wait_ms = 0,
): Promise<Result<ToolflowView>> {
  const flow = await flowOf(deps, caller, run_id)
  if (flow === undefined) return refuse('toolflow.unknown', { run_id })
  if (flow.run.expired_at !== undefined) return refuse('toolflow.expired', { run_id })
  return ok(await waitForView(deps, flow.run.run_id, wait_ms, ({ status }) => status !== 'RUNNING'))
}

export type ToolflowRun = { readonly run: RunRow; readonly state: ToolflowState }

/** Undefined if there is none, or if this caller may not see it. */
export async function flowOf(
  { tables }: Pick<ReadToolflowPorts, 'tables'>,
  caller: Caller,
  run_id: string,
): Promise<ToolflowRun | undefined> {
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
  deps: ReadToolflowPorts,
  run_id: RunId,
  wait_ms: number,
  isAtRest: (view: ToolflowView) => boolean,
): Promise<ToolflowView> => waitForRun(deps, run_id, wait_ms, () => viewNow(deps, run_id), isAtRest)

async function viewNow(deps: ReadToolflowPorts, run_id: RunId): Promise<ToolflowView> {
  const run = (await deps.tables.row('runs', run_id))?.row
  if (run === undefined) throw new Bug(`the run \`${run_id}\` no longer exists`)
  const state = stateOf(run)
  const call_id = state.call?.call_id ?? undefined
  const call = call_id === undefined ? undefined : (await deps.tables.row('calls', call_id))?.row
  return viewOf(run, state, call === undefined ? undefined : await callNow(deps, call))
}

async function callNow(deps: ReadToolflowPorts, row: CallRow): Promise<CallNow> {
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

const SUMMARY = 500

/** Exact texts that people and scripts may rely on. */
const NEXT_ACTIONS = {
  OK: ['Run another tool_search', 'Save to SSOT', 'Open logs'],
  BLOCK: ['Revise prompt', 'Run tool_search with tighter query'],
  NO_CANDIDATES: ['Try different keywords', 'Increase top_k'],
  ASK: ['Approve & Execute', 'Edit Inputs', 'Cancel'],
  FAILED: ['Open logs'],
  choose: ['Choose one of the candidates', 'Run tool_search with tighter query'],
  inputs: ['Provide the required inputs'],
} as const satisfies Record<ToolflowStatus | 'choose' | 'inputs', readonly string[]>

/** The current state of the flow's call, read when the card is made; a held one with its packet. */
type CallNow = { readonly outcome: Outcome; readonly packet?: ApprovalPacket }

/** The one card of a flow that has ended or waits. */
export function cardOf(
  state: ToolflowState,
  call: CallNow | undefined,
): { status: ToolflowStatus; output: ToolflowOutput } {
  const { status, evidence: gate_evidence } = endingOf(state)
  const skill_id = state.selected_skill_id
  const common = { next_actions: NEXT_ACTIONS[status], gate_evidence }
  switch (status) {
    case 'OK':
      return {
        status,
        output: { result_card: { status, skill_id: skill_id ?? '', summary: summaryOf(call), ...common } },
      }
    case 'BLOCK':
      return { status, output: { block_card: { status, skill_id, reason: reasonOf(state, call), ...common } } }
    case 'NO_CANDIDATES':
      return { status, output: { no_candidates_card: { status, query: state.query, ...common } } }
    case 'ASK':
      return { status, output: { approval_packet: { status, ...packetOf(state, call), gate_evidence } } }
    default: {
      const exec_result = call?.outcome ?? null
      return {
        status,
        output: { result_card: { status, skill_id, reason: reasonOf(state, call), exec_result, ...common } },
      }
    }
  }
}

function packetOf(state: ToolflowState, call: CallNow | undefined) {
  if (call?.packet !== undefined) return { ...call.packet, next_actions: NEXT_ACTIONS.ASK }
  const { card, candidates, selected_skill_id } = state
  if (card !== null)
    return {
      approval_id: null,
      skill_id: selected_skill_id,
      title: card.title,
      why_this: card.why_inputs,
      required_inputs: card.required_inputs,
      proposed_args: card.proposed_args,
      hidden: card.hidden ?? [],
      candidates: [],
      next_actions: NEXT_ACTIONS.inputs,
    }
  return {
    approval_id: null,
    skill_id: null,
    title: 'Which tool is meant?',
    why_this: 'it is not clear which tool is meant: the best candidates score almost equally, or none scores well',
    required_inputs: ['skill_id'],
    proposed_args: '{}',
    hidden: [],
    candidates: candidates ?? [],
    next_actions: NEXT_ACTIONS.choose,
  }
}

function summaryOf(call: CallNow | undefined): string {
  if (call?.outcome.status !== 'executed') return ''
  return outputText(call.outcome.result).slice(0, SUMMARY)
}

function reasonOf({ failure, call }: ToolflowState, now: CallNow | undefined): string {
  if (failure !== null) return `${failure.says} [${failure.code}]`
  const problem = now !== undefined && 'problem' in now.outcome ? now.outcome.problem : undefined
  return problem === undefined ? (call?.reason ?? 'the call did not run') : sayProblem(problem)
}
