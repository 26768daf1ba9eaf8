import type { AgentStatus } from './agent.ts'
import { quoted, visibleText } from '../../kernel/contract/visible-text.ts'
import type { AgentState } from './state.ts'

/** How a turn ends. If there is no text, a model writes the answer. */
export type Closing = { readonly status: AgentStatus; readonly text?: string }

export const STOPPED = 'Cancelled. The task was stopped.'

/** INVARIANT: everything about approvals, rejections, failures and limits is written by code, never by a model. */
export function closingOf(state: AgentState): Closing {
  if (state.awaiting_approval) return { status: 'awaiting_approval', text: whatWaits(state) }
  if (state.integrity_failed) return { status: 'failed', text: 'Security Error: Integrity check failed' }
  if (state.cancelled_by !== null) return { status: 'cancelled', text: STOPPED }
  if (state.failure !== null) return { status: 'failed', text: `${state.failure.says} (${state.failure.code})` }
  if (state.awaiting_user_input)
    return { status: 'awaiting_input', text: [state.notice, state.question].filter((text) => text !== null).join(' ') }
  if (state.notice !== null) return { status: 'completed', text: state.notice }
  return { status: 'completed' }
}

function whatWaits(state: AgentState): string {
  const { proposed_tool, approval_id, approval_hub = null, approval_url = null, notice, document } = state
  const why = notice === null ? '' : `Your reply did not count: ${notice}. `
  const call = proposed_tool === null ? 'A call' : `The call of ${quoted(proposed_tool.name)}`
  const id = approval_id ?? ''
  const held = `${why}${call} is waiting for approval ${id}. It does not run until it is approved.`
  if (approval_hub !== null)
    return `${held} Approvers at the hub ${visibleText(approval_hub)} decide it; an answer here does not.`
  const waits = `${held} An approver can decide it${approval_url === null ? '' : ` at ${visibleText(approval_url)}`}`
  if (document !== undefined) return `${waits}; an answer in this room does not.`
  const token =
    state.approval_takes_token === true
      ? ` If an approver gave you a token, answer APPROVE ${id} <token> to approve it.`
      : ''
  return `${waits}. To reject it, answer REJECT ${id} <reason>.${token}`
}
