import { ok } from '../../kernel/contract/problems.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { endVolatile } from './end-volatile.ts'
import { takeTurn } from './take-turn.ts'

/** People write to the agents of documents. */
export const prepareAgent: PrepareGuest = ({ config, log }) =>
  ok({
    ports: { agentSettings: config.agent },
    open: (ports) => ({ ports: { takeTurn: (said) => takeTurn(ports, said) } }),
    async recover(ports) {
      const ended = await endVolatile(ports)
      if (ended.threads + ended.calls > 0)
        log('warn', 'threads that are not stored ended when their gate stopped', ended)
    },
  })
