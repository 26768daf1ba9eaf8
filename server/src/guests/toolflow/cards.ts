import type { ApprovalPacket } from '../../kernel/contract/approval.ts'
import type { Outcome } from '../../kernel/contract/call.ts'
import { sayProblem } from '../../kernel/text/say-problem.ts'
import type { ToolflowOutput, ToolflowStatus } from './toolflow.ts'
import { outputText } from '../../kernel/attempt/interpret.ts'
import { endingOf } from './ending.ts'
import type { ToolflowState } from './state.ts'

const SUMMARY = 500

/** Exact texts that people and scripts may rely on. */
export const NEXT_ACTIONS = {
  OK: ['Run another tool_search', 'Save to SSOT', 'Open logs'],
  BLOCK: ['Revise prompt', 'Run tool_search with tighter query'],
  NO_CANDIDATES: ['Try different keywords', 'Increase top_k'],
  ASK: ['Approve & Execute', 'Edit Inputs', 'Cancel'],
  FAILED: ['Open logs'],
  choose: ['Choose one of the candidates', 'Run tool_search with tighter query'],
  inputs: ['Provide the required inputs'],
} as const satisfies Record<ToolflowStatus | 'choose' | 'inputs', readonly string[]>

/** The current state of the flow's call, read when the card is made; a held one with its packet. */
export type CallNow = { readonly outcome: Outcome; readonly packet?: ApprovalPacket }

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
