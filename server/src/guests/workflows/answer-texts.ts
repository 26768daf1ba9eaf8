import { answerText } from '../../kernel/sessions/answer-texts.ts'
import type { AnswerText } from '../../kernel/sessions/enter-session.ts'
import type { WorkflowRunView } from './workflow.ts'

export function textsInWorkflowRun({ run_id, output, error }: WorkflowRunView): readonly AnswerText[] {
  const of = { of_run: run_id }
  const said = output === undefined ? undefined : typeof output === 'string' ? output : JSON.stringify(output)
  return [...answerText('the run of a document', said, of), ...answerText('the run of a document', error?.says, of)]
}
