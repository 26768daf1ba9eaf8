import type { AgentEvent, AgentEventName } from './agent.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import type { AgentState } from './state.ts'

/**
 * The events that watchers get for a step of a thread. Derived from the states before and after, so that the journal alone gives
 * the same events again.
 */
export function eventsOf(before: AgentState, after: AgentState): AgentEvent[] {
  const events: AgentEvent[] = []
  const add = (event: AgentEventName, data: JsonObject) => void events.push({ event, data })
  if (after.plan !== before.plan && after.plan !== null) add('plan', { steps: after.plan })
  if (after.proposed_tool !== null && after.proposed_tool !== before.proposed_tool) {
    const { name, args, args_hash, step_idx } = after.proposed_tool
    add('tool_proposed', { tool: name, args, args_hash, step: step_idx })
  }
  const call_id = after.call?.call_id ?? before.call?.call_id ?? null
  if (after.last_verdict !== null && after.last_verdict !== before.last_verdict)
    add('risk_gate', { ...after.last_verdict })
  if (after.awaiting_approval && !before.awaiting_approval)
    add('approval_required', {
      approval_id: after.approval_id,
      call_id,
      tool: after.proposed_tool?.name ?? null,
      expires_at: after.approval_expires_at,
    })
  if (after.last_tool_result !== null && after.last_tool_result !== before.last_tool_result)
    add('tool_result', { ...after.last_tool_result })
  if (after.failure !== null && after.failure !== before.failure) add('error', { ...after.failure })
  if (after.node !== before.node || after.current_step !== before.current_step)
    add('state', {
      node: after.node,
      path: newest(after.audit_trail, after.moves - before.moves),
      current_step: after.current_step,
      step_status: after.step_status,
      awaiting_approval: after.awaiting_approval,
      awaiting_user_input: after.awaiting_user_input,
      usage: { ...after.usage },
    })
  const ended = newest(after.turns, after.turns_ended - before.turns_ended)
  for (const turn of ended) add('final', { ...turn })
  // The outcome of a decision is reported even if no message is waiting for it.
  if (after.node === 'END' && before.node !== 'END' && ended.length === 0)
    add('final', { turn_id: null, status: after.status, response: after.response })
  return events
}

const newest = <T>(list: readonly T[], count: number): readonly T[] => (count === 0 ? [] : list.slice(-count))
