import { MOST_TRIES, type LastToolResult } from './agent.ts'
import { quoted } from '../../kernel/contract/visible-text.ts'
import { withAnswer } from './outgoing-answers.ts'
import { closingOf } from './closing.ts'
import { userCommand } from './replies.ts'
import { replaced, triesOfStep, withFinding, withMessage, withSender, withTurn, type AgentState } from './state.ts'

/** The state changes along the edges of the graph. Each is pure and total. */

const MOST_REJECTED = 100
const MOST_LOOKUPS = 16

/** Takes the next message. A finished plan is replaced by a new one. */
export function beginTurn(state: AgentState): AgentState {
  const [turn, ...queue] = state.queue
  if (turn === undefined) return state
  const isOver = state.plan !== null && state.step_status.every((one) => one === 'done' || one === 'skipped')
  const fresh = isOver ? { plan: null, step_status: [], tries: [], current_step: 0, lookups: 0 } : {}
  const begun: AgentState = {
    ...withSender(state, turn),
    ...fresh,
    queue,
    intent: turn.intent,
    failure: null,
    notice: null,
    integrity_failed: false,
    cancelled_by: null,
    response: '',
  }
  return withMessage(begun, { role: 'user', text: turn.text, at: turn.at })
}

/** Reads a person's answer to a question: a command, or information for the models. */
export function takeInput(state: AgentState): AgentState {
  const { current_step, step_status, tries } = state
  const answered = { ...state, awaiting_user_input: false, question: null, just_rejected: false }
  const again = { tries: replaced(tries, current_step, 0) }
  switch (userCommand(state.turn?.text ?? '')) {
    case 'retry':
      return { ...answered, ...again, step_status: replaced(step_status, current_step, 'pending') }
    case 'skip':
      return { ...answered, step_status: replaced(step_status, current_step, 'skipped') }
    case 'cancel':
      return { ...answered, cancelled_by: state.user_id }
    default:
      return triesOfStep(state) >= MOST_TRIES ? { ...answered, ...again } : answered
  }
}

export function dropPlan(state: AgentState): AgentState {
  const step_status = state.step_status.map((status) => (status === 'done' ? status : ('skipped' as const)))
  return { ...state, step_status, awaiting_user_input: false, question: null, just_rejected: false }
}

export function askInstead(state: AgentState): AgentState {
  const why = state.last_tool_result?.output ?? 'User Rejected'
  const question = `The call was not approved: ${quoted(why, 500)}. What should I do instead? (SKIP leaves this step out, CANCEL ends the task.)`
  return { ...state, just_rejected: false, awaiting_user_input: true, question }
}

export function askRetry(state: AgentState): AgentState {
  const { current_step, plan, last_tool_result } = state
  const step = plan?.[current_step] ?? ''
  const why = last_tool_result?.output ?? ''
  const question = `Step ${current_step + 1} (${quoted(step)}) failed: ${quoted(why, 500)}. Answer RETRY, SKIP or CANCEL, or tell me more.`
  return { ...state, awaiting_user_input: true, question }
}

export function tryStep(state: AgentState): AgentState {
  const { current_step, tries, step_status, lookups } = state
  // After reading an artifact the same try continues.
  const isSameTry = lookups > 0 && step_status[current_step] === 'running'
  return {
    ...state,
    tries: isSameTry ? tries : replaced(tries, current_step, triesOfStep(state) + 1),
    step_status: replaced(step_status, current_step, 'running'),
    said: null,
    verdict: null,
    has_outcome: false,
    call: null,
    proposed_tool: null,
  }
}

export const nextStep = (state: AgentState): AgentState =>
  tryStep({ ...state, current_step: state.current_step + 1, lookups: 0 })

export function awaitApproval(state: AgentState): AgentState {
  const { call, proposed_tool } = state
  return {
    ...state,
    awaiting_approval: true,
    approval_id: call?.approval_id ?? null,
    approval_hash: proposed_tool?.args_hash ?? null,
  }
}

const NO_APPROVAL = {
  awaiting_approval: false,
  approval_id: null,
  approval_hash: null,
  approval_expires_at: null,
  approval_hub: null,
  approval_url: null,
  approval_takes_token: false,
  withdrawing: false,
  notice: null,
} as const

/** `proposed_tool` is kept until the result is interpreted. */
export const approve = (state: AgentState): AgentState => ({
  ...state,
  ...NO_APPROVAL,
  last_approval_id: state.approval_id,
})

export function reject(state: AgentState): AgentState {
  const { proposed_tool, rejected, turn, current_step, step_status, has_outcome, last_tool_result } = state
  const said = turn?.reply?.says ?? ''
  const output =
    said === '' && has_outcome
      ? (last_tool_result?.output ?? 'User Rejected')
      : `User Rejected${said === '' ? '' : `: ${said}`}`
  const next = withMessage(state, {
    role: 'tool',
    text: output,
    at: proposed_tool?.created_at ?? 0,
    ...(proposed_tool === null ? {} : { tool: proposed_tool.name }),
  })
  return {
    ...next,
    ...NO_APPROVAL,
    last_approval_id: state.approval_id,
    rejected: proposed_tool === null ? rejected : [...rejected, callKey(proposed_tool)].slice(-MOST_REJECTED),
    proposed_tool: null,
    call: null,
    has_outcome: false,
    verdict: null,
    last_tool_result: failedResult(output),
    step_status: replaced(step_status, current_step, 'failed'),
    just_rejected: true,
  }
}

/** Either it decided nothing, or what it decided is known already. */
export const noteReply = (state: AgentState): AgentState => ({
  ...state,
  notice:
    state.turn?.reply?.result === 'invalid'
      ? `Your reply did not count: ${state.turn.reply.says}.`
      : 'That request was already decided.',
})

export const noteInvalid = (state: AgentState): AgentState => ({ ...state, notice: state.turn?.reply?.says ?? null })

/** Identifies one tool with exact arguments. */
export const callKey = ({ name, args_hash }: { readonly name: string; readonly args_hash: string }): string =>
  `${name} ${args_hash}`

export const failedResult = (output: string): LastToolResult => ({
  status: 'failed',
  output,
  evicted: false,
  pointer: null,
  size_chars: output.length,
  rehydration_allowed: true,
  summary: null,
})

/** Stores the result of the step, or why there is none; the models read it next. */
export function interpret(state: AgentState): AgentState {
  const { said, proposed_tool, last_tool_result, call, verdict, current_step, step_status, integrity_failed } = state
  const clear = { proposed_tool: null, call: null, verdict: null, has_outcome: false, said: null } as const
  const at = proposed_tool?.created_at ?? state.turn?.at ?? 0
  if (said !== null) return { ...interpretWords(state), ...clear }
  if (state.failure !== null && proposed_tool === null)
    return { ...state, ...clear, step_status: replaced(step_status, current_step, 'pending') }
  const name = proposed_tool?.name ?? ''
  const result = integrity_failed ? failedResult('Integrity check failed') : last_tool_result
  const output = result?.output ?? ''
  const next = withMessage({ ...state, last_tool_result: result }, { role: 'tool', text: output, at, tool: name })
  const found =
    integrity_failed || verdict?.effect === 'block'
      ? withFinding(next, {
          rule_id: integrity_failed ? 'agent.integrity' : 'gate.blocked',
          severity: integrity_failed ? 'critical' : 'medium',
          message: integrity_failed ? 'the arguments are not those that were proposed' : (verdict?.why ?? ''),
        })
      : next
  const isDone = result?.status === 'success'
  // It is unknown whether the call ran, so only a person may decide to try it again.
  const tries = call?.status === 'unknown' ? replaced(found.tries, current_step, MOST_TRIES) : found.tries
  return {
    ...found,
    ...clear,
    tries,
    step_status: replaced(step_status, current_step, isDone ? 'done' : 'failed'),
  }
}

function interpretWords(state: AgentState): AgentState {
  const { said, current_step, step_status, lookups } = state
  if (said === null) return state
  const at = state.turn?.at ?? 0
  const from = said.tool === undefined ? {} : { tool: said.tool }
  switch (said.kind) {
    case 'question':
      return { ...state, awaiting_user_input: true, question: said.text }
    case 'text':
      return {
        ...withMessage(state, { role: 'assistant', text: said.text, at }),
        last_tool_result: { ...failedResult(said.text), status: 'success' },
        step_status: replaced(step_status, current_step, 'done'),
      }
    case 'lookup': {
      const isTooMany = lookups + 1 > MOST_LOOKUPS
      const text = isTooMany ? 'too many artifact reads in this step' : said.text
      return {
        ...withMessage(state, { role: 'tool', text, at, ...from }),
        last_tool_result: { ...failedResult(text), status: isTooMany ? 'failed' : 'success' },
        lookups: lookups + 1,
        step_status: replaced(step_status, current_step, isTooMany ? 'failed' : 'running'),
      }
    }
    default:
      return {
        ...withMessage(state, { role: 'tool', text: said.text, at, ...from }),
        last_tool_result: failedResult(said.text),
        step_status: replaced(step_status, current_step, 'failed'),
      }
  }
}

/** Adds the answer to the conversation, and ends the turn if somebody waits for it. */
export function endTurn(state: AgentState): AgentState {
  const { turn } = state
  const { status, text } = closingOf(state)
  const response = text ?? state.response
  const at = Math.max(turn?.at ?? 0, state.messages.at(-1)?.at ?? 0)
  const next = withMessage({ ...state, response, status }, { role: 'assistant', text: response, at })
  const ended =
    turn === null ? next : withTurn(next, { turn_id: turn.turn_id, asked_hash: turn.asked_hash, status, response })
  const sent = withAnswer(ended, { text: response, place: turn?.place ?? null })
  return { ...sent, turn: null, cancelled_by: state.closing || state.awaiting_approval ? state.cancelled_by : null }
}
