import { ok } from '../../kernel/contract/problems.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { admitsInvitation } from './admits-invitation.ts'
import { documentPorts } from './document-ports.ts'
import { messagesServer } from './messages-server.ts'
import { openTransports } from './open-transports.ts'
import { takeMessage } from './take-message.ts'

/** Messages to and from documents, and what their runs need. */
export const prepareWorkflows: PrepareGuest = (given) => {
  const opened = openTransports(given)
  if (!opened.ok) return opened
  const transports = [...given.transports, ...opened.value.transports]
  return ok({
    ports: { incoming: opened.value.incoming },
    ...(transports.length === 0 ? {} : { server: messagesServer(transports) }),
    open: (ports) => ({ ports: documentPorts(ports.tables, given.env) }),
    async start(ports) {
      const listening = await Promise.all(
        transports.flatMap(
          (one) => one.listen?.((message) => takeMessage(ports, message), admitsInvitation(ports)) ?? [],
        ),
      )
      return async () => {
        await Promise.all(listening.map((stop) => stop()))
      }
    },
  })
}
