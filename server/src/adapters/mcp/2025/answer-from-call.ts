import type { McpPorts } from '../mcp-ports.ts'
import type { EventStream } from '../event-stream.ts'
import type { ClientContext } from '../http-context.ts'
import type { Place } from './resumable-streams.ts'
import { textOf } from '../rpc.ts'
import { threadOfSession } from '../sessions.ts'
import { showsOutputSchema } from '../shown-definition.ts'
import { requestIn } from './stream-names.ts'
import { answerOf } from '../task-answers.ts'

const WAIT_MS = 20_000
/** Clocks of nodes may differ by this much. */
const CLOCKS_MS = 60_000

/**
 * Answers a request whose node died with the outcome of its call. Nothing is executed: the node that takes over the dead node's
 * calls settles this one too. Returns false if the stream's name contains no request, or no call was made for it.
 */
export async function answerFromCall(
  { gate, stopping }: { readonly gate: McpPorts; readonly stopping: AbortSignal },
  { caller, session, surface, response }: ClientContext,
  { stream, after }: Place,
  open: () => EventStream,
): Promise<boolean> {
  const request = requestIn(stream)
  if (request === undefined || session === undefined) return false
  const call = await gate.relay.callOfStream(caller, threadOfSession(session), stream, request.at - CLOCKS_MS)
  if (call === undefined || response.destroyed) return false
  const live = open()
  while (!response.destroyed && !stopping.aborted) {
    const read = await gate.readCall(caller, call.call_id, WAIT_MS)
    if (read.ok && read.value.status === 'executing') continue
    const outcome = read.ok ? read.value : { status: 'refused' as const, problem: read.problem, evidence: [] }
    // Only streams of sessions can be resumed, and sessions ended with 2026-07-28.
    const hasSchema = () => surface !== 'search' && showsOutputSchema(gate, caller, call.tool_id, 'old')
    live.send(textOf(request.id, answerOf(outcome, hasSchema)), `${stream}.${after + 1}`)
    break
  }
  live.end()
  return true
}
