import type { WebhookKey } from '../../kernel/ports/keys.ts'
import type { MessageTransport } from '../../kernel/ports/transports.ts'
import type { Config } from '../../kernel/contract/config.ts'
import type { MatrixTransportSettings } from './section.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { Log } from '../../kernel/ports/log.ts'
import { MIN_WEBHOOK_SECRET_BYTES, webhookKey } from '../../adapters/keys/webhook-key.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { openMatrixSession } from '../matrix/matrix-session.ts'
import { matrixTransport } from '../matrix/matrix-transport.ts'
import { webhookTransport } from './webhook-transport.ts'

export type OpenedTransports = {
  readonly transports: readonly MessageTransport[]
  /** Who may send messages to the gate, by the name of the transport. */
  readonly incoming: ReadonlyMap<string, WebhookKey>
}

export type TransportDeps = { readonly folder: string; readonly stopping: AbortSignal; readonly log: Log }

/** The configured transports with their secrets resolved. A missing or short secret is rejected with its place in the file. */
export function openTransports(
  settings: Config['transports'],
  { folder, stopping, log }: TransportDeps,
): Result<OpenedTransports> {
  const faults: string[] = []
  const keyOf = (reference: string, where: string): WebhookKey | undefined => {
    const secret = secretOf(reference, folder, process.env) ?? ''
    const key = webhookKey(secret)
    if (key === undefined)
      faults.push(
        `transports.${where}: ${secret === '' ? 'the secret is missing' : `shorter than ${MIN_WEBHOOK_SECRET_BYTES} bytes`}`,
      )
    return key
  }
  const transports: MessageTransport[] = []
  const incoming = new Map<string, WebhookKey>()
  const overMatrix = ({ name, matrix }: MatrixTransportSettings, where: string): MessageTransport => {
    const secret = (reference: string, place: string): string => {
      const found = secretOf(reference, folder, process.env) ?? ''
      if (found === '') faults.push(`transports.${where}.matrix.agents.${place}: the secret is missing`)
      return found
    }
    const agents = Object.entries(matrix.agents).map(([agent, { user, token, password }]) => {
      const account = {
        homeserver: matrix.homeserver,
        user,
        ...(token === undefined ? {} : { token: secret(token, `${agent}.token`) }),
        ...(password === undefined ? {} : { password: secret(password, `${agent}.password`) }),
      }
      return [agent, () => openMatrixSession(account)] as const
    })
    const logError = (says: string, about = {}) => log('error', says, about)
    return matrixTransport(name, { agents: new Map(agents), clock: Date.now, stopping, log: logError })
  }
  for (const [index, one] of settings.entries()) {
    if ('matrix' in one) {
      transports.push(overMatrix(one, String(index)))
      continue
    }
    const key = keyOf(one.secret, `${index}.secret`)
    if (key !== undefined) transports.push(webhookTransport(one, { key, clock: Date.now, stopping }))
    if (one.incoming === undefined) continue
    const theirs = keyOf(one.incoming.secret, `${index}.incoming.secret`)
    if (secretOf(one.incoming.secret, folder, process.env) === secretOf(one.secret, folder, process.env))
      faults.push(`transports.${index}.incoming.secret: it must differ from the secret for outgoing messages`)
    if (theirs !== undefined) incoming.set(one.name, theirs)
  }
  return faults.length === 0 ? ok({ transports, incoming }) : refuse('config.invalid', { paths: faults.join('; ') })
}
