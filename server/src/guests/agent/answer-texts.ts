import { answerText, stringsUnder } from '../../kernel/sessions/answer-texts.ts'
import type { AnswerText } from '../../kernel/sessions/enter-session.ts'
import type { AgentAnswer, AgentEvent } from './agent.ts'
import type { ThreadView } from './read-threads.ts'

/** What the user said is the user's in every session; what a model wrote may repeat a tool's words. */
export function textsInThread(view: ThreadView): readonly AnswerText[] {
  const of = { of_run: view.run_id }
  const said = view.messages.filter(({ role }) => role !== 'user').map((message) => message.text)
  const steps = view.plan.map(({ step }) => step)
  return [...said, ...steps, view.summary, view.question, view.last_tool_result?.output].flatMap((one) =>
    answerText('a thread', one, of),
  )
}

export const textsInAgent = ({ run_id, response }: AgentAnswer): readonly AnswerText[] =>
  answerText('a thread', response, { of_run: run_id })

/** For events while a thread works. */
export const textsInEvent = (run_id: string, { data }: Pick<AgentEvent, 'data'>): readonly AnswerText[] =>
  stringsUnder(data, EVENT_FIELDS).flatMap((one) => answerText('a thread', one, { of_run: run_id }))
const EVENT_FIELDS = new Set(['steps', 'args', 'output', 'response', 'text', 'message'])
