import type { Json } from '../../kernel/contract/json.ts'
import { answerText, stringsIn, stringsUnder } from '../../kernel/sessions/answer-texts.ts'
import type { AnswerText } from '../../kernel/sessions/enter-session.ts'

/**
 * For a flow and its review: what the people and agents who work on it wrote. What this request itself says is the reader's own.
 */
export function textsInFlow(answer: object, asked: Json = null): readonly AnswerText[] {
  const own = new Set(stringsIn(asked))
  return stringsUnder(answer as Json, FLOW_FIELDS)
    .filter((one) => !own.has(one))
    .flatMap((one) => answerText('the run of a flow', one, {}))
}
const FLOW_FIELDS = new Set([
  'evidence_ref',
  'task_ref',
  'external_ref',
  'note',
  'reason',
  'intent',
  'comment',
  'output',
])
