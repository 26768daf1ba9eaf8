import type { MessageTransport, Sent } from '../../kernel/ports/transports.ts'
import type { ToolServers, UpstreamAnswer } from '../../kernel/ports/upstream.ts'
import type { Config } from '../../kernel/contract/config.ts'
import type { ServerSettings } from '../../kernel/contract/server-settings.ts'
import { ServerKeys } from '../../kernel/contract/tool-settings.ts'
import { problem } from '../../kernel/contract/problems.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'

/** The server that sends messages of documents. Its name and its tool are defined in `guests/workflows/tool-names.ts`. */
export const MESSAGES = 'messages'

export const MESSAGES_TOOL: ToolDefinition = {
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

/** Adds the server for messages if there are transports. An operator's own server of that name is kept. */
export const withMessages = (servers: Config['servers'], transports: readonly MessageTransport[]): Config['servers'] =>
  transports.length === 0 || Object.hasOwn(servers, MESSAGES) ? servers : { ...servers, [MESSAGES]: SETTINGS }

/** Wraps the servers; calls to `messages` go to the transport that they name, otherwise to the first that reaches their room. */
export function sendingMessages(
  servers: ToolServers,
  transports: readonly MessageTransport[],
  mayAct: () => boolean,
): ToolServers {
  if (transports.length === 0) return servers
  return {
    ...servers,
    async call(call) {
      if (call.server !== MESSAGES) return servers.call(call)
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
  }
}

const notSent = (why: string): UpstreamAnswer => ({
  is: 'not_sent',
  problem: problem('tool.unavailable', { server: MESSAGES, why }),
})

function answerOf(sent: Sent): UpstreamAnswer {
  if (sent.is === 'sent') return { is: 'answered', result: { content: [{ type: 'text', text: 'sent' }] } }
  if (sent.is === 'not_sent') return notSent(sent.why)
  return { is: 'lost', problem: problem('tool.broke_off', { server: MESSAGES, how: sent.why }) }
}
