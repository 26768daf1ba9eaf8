import { problem } from '../../kernel/contract/problems.ts'
import { clientTools } from '../../kernel/contract/hook-clients.ts'
import { createLifetime } from './http/lifetime.ts'
import type { ClientServer } from './server-kind.ts'
import type { Transport } from './transport.ts'

/** The built-in tools of a coding agent as a tool server: listed, and never called from here. */
export function clientTransport({ client, name: server }: ClientServer): Transport {
  const tools = clientTools(client)
  return {
    async connect({ onStart, onListed }) {
      onStart()
      try {
        await onListed(server, tools)
      } catch (error) {
        return { is: 'failed', says: String(error) }
      }
      const life = createLifetime(() => undefined)
      const connection = {
        legacy: false,
        ended: life.ended,
        isUsable: () => life.isUsable(),
        call: ({ tool }: { readonly tool: string }) =>
          Promise.resolve({
            is: 'not_sent' as const,
            problem: problem('tool.client_only', { tool: `${server}__${tool}` }),
          }),
        tools: () => tools.length,
        late: () => 0,
        kill: () => life.end('ended'),
        close: async () => life.end('closed'),
      }
      return { is: 'open', connection }
    },
    stderr: () => [],
    hide: (says) => says,
  }
}
