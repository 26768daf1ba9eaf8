import type { CallTask } from '../../kernel/attempt/call-task.ts'
import type { McpPorts } from './mcp-ports.ts'
import type { Reader } from '../../kernel/sessions/enter-session.ts'
import { textsInOutcome } from '../../kernel/sessions/answer-texts.ts'
import type { Result } from '../../kernel/contract/problems.ts'

export const textsInTask = ({ outcome }: CallTask) => textsInOutcome(outcome)

/** Reads a task for a session. The result of its call is recorded in that session. */
export async function readTaskIn(
  gate: McpPorts,
  reader: Reader,
  task_id: string,
  waiting?: AbortSignal,
): Promise<Result<CallTask>> {
  return gate.labelled(reader, await gate.readTask(reader.caller, task_id, waiting), textsInTask)
}
