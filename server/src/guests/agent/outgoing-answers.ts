import type { JsonObject } from '../../kernel/contract/json.ts'
import type { RunEffect, Step } from '../../kernel/contract/run.ts'
import type { AgentState, OutgoingAnswer } from './state.ts'

/** Answers of a document's thread, sent to the room where the person wrote. */

export type AgentReply = { readonly key: string; readonly kind: 'agent_reply'; readonly with: JsonObject }

/** A thread that was not started from a room sends nothing: its caller reads the answer. */
export const withAnswer = (state: AgentState, answer: OutgoingAnswer): AgentState =>
  state.document === undefined ? state : { ...state, outgoing: [...(state.outgoing ?? []), answer] }

const prefixOf = ({ run_id }: AgentState): string => `${run_id}/reply/`

/** INVARIANT: each answer has its own key, and a thread does not end before all are sent. */
export function sendAnswers<Effect extends RunEffect>(
  next: Step<AgentState, Effect>,
): Step<AgentState, Effect | AgentReply> {
  const { ends, ...rest } = next
  const { outgoing = [], answers_made = 0, answers_open = 0 } = next.state
  const open = answers_open + outgoing.length
  const isEnding = ends === undefined || open > 0 ? {} : { ends }
  if (outgoing.length === 0) return { ...rest, ...isEnding }
  const replies = outgoing.map(({ text, place }, index): AgentReply => ({
    key: `${prefixOf(next.state)}${answers_made + index + 1}`,
    kind: 'agent_reply',
    with: { text, place },
  }))
  return {
    ...rest,
    ...isEnding,
    state: { ...next.state, outgoing: [], answers_made: answers_made + outgoing.length, answers_open: open },
    effects: [...next.effects, ...replies],
  }
}

/** The state after an answer was sent; undefined if the key belongs to other work. */
export function answerSent(state: AgentState, key: string): AgentState | undefined {
  if (!key.startsWith(prefixOf(state))) return undefined
  return { ...state, answers_open: Math.max(0, (state.answers_open ?? 0) - 1) }
}
