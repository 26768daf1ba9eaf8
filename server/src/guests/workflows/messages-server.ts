import type { MessageTransport, Sent } from '../../kernel/ports/transports.ts'
import type { GuestServer } from '../../kernel/ports/guest-server.ts'
import type { ToolReply } from '../../kernel/ports/upstream.ts'
import type { ServerSettings } from '../../kernel/contract/server-settings.ts'
import { ServerKeys } from '../../kernel/contract/tool-settings.ts'
import { problem } from '../../kernel/contract/problems.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'

/** The server that sends messages of documents. Its name and its tool are defined in `guests/workflows/tool-names.ts`. */
const MESSAGES = 'messages'

const SEND_MESSAGE: ToolDefinition = {
  name: 'send_message',
  title: 'Send a message',
  description: 'Sends a message to a room that the document of the run names. Only runs of documents can call it.',
  inputSchema: {
    type: 'object',
    required: ['agent', 'room', 'text'],
    additionalProperties: false,
    properties: {
      agent: { type: 'string', maxLength: 64 },
      room: { type: 'string', maxLength: 255 },
      text: { type: 'string', maxLength: 1_000_000 },
    },
  },
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: true },
}

/** Idempotent, because a transport recognizes a message by its id: one whose outcome is unknown is sent again. */
const SETTINGS: ServerSettings = {
  ...ServerKeys.parse({}),
  gate: true,
  tools: { send_message: { effects: ['external'], tags: ['messages'], idempotent: true } },
}

/** A message goes to the transport that the call names, otherwise to the first that reaches its room. */
export const messagesServer = (transports: readonly MessageTransport[]): GuestServer => ({
  name: MESSAGES,
  settings: SETTINGS,
  tools: [SEND_MESSAGE],
  async call(call, mayAct) {
    const { agent, room, text } = JSON.parse(call.canonical_args) as { agent: string; room: string; text: string }
    const reaching = transports.filter((one) => one.reaches(room, agent))
    const transport = reaching.find(({ name }) => call.transport === undefined || name === call.transport)
    if (transport === undefined)
      return notSent(
        `${call.transport === undefined ? 'no transport' : `\`${call.transport}\` no longer`} reaches this room`,
      )
    if (!mayAct()) return notSent('the lease of this node has expired')
    const again = call.repeats_since === undefined ? {} : { since: call.repeats_since }
    return answerOf(await transport.send({ id: call.idempotency_key, agent, room, text, ...again }))
  },
})

const notSent = (why: string): ToolReply => ({
  is: 'not_sent',
  problem: problem('tool.unavailable', { server: MESSAGES, why }),
})

function answerOf(sent: Sent): ToolReply {
  if (sent.is === 'sent') return { is: 'answered', result: { content: [{ type: 'text', text: 'sent' }] } }
  if (sent.is === 'not_sent') return notSent(sent.why)
  return { is: 'lost', problem: problem('tool.broke_off', { server: MESSAGES, how: sent.why }) }
}
