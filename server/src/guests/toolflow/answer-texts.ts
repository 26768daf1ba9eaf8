import { answerText, textsInOutcome, textsInPacket, type PacketTexts } from '../../kernel/sessions/answer-texts.ts'
import type { AnswerText } from '../../kernel/sessions/enter-session.ts'
import type { ToolflowView } from './toolflow.ts'

export function textsInToolflow(view: ToolflowView): readonly AnswerText[] {
  const { exec_result, dry_run_result, call_id } = view.state
  const of = { of_run: view.run_id, ...(call_id === null ? {} : { of_call: call_id }) }
  const packet = 'approval_packet' in view ? view.approval_packet : undefined
  return [
    ...(exec_result === null ? [] : textsInOutcome(exec_result)),
    ...answerText('a dry run', dry_run_result, of),
    ...(packet === undefined || !('approval_id' in packet) ? [] : textsInPacket(packet as PacketTexts)),
  ]
}
