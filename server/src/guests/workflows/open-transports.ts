import type { WebhookKey } from '../../kernel/ports/keys.ts'
import type { Preparation } from '../../kernel/ports/prepare-guest.ts'
import type { MessageTransport } from '../../kernel/ports/transports.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { MIN_WEBHOOK_SECRET_BYTES, webhookKey } from '../../adapters/keys/webhook-key.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { webhookTransport } from './webhook-transport.ts'

export type OpenedTransports = {
  readonly transports: readonly MessageTransport[]
  /** Who may send messages to the gate, by the name of the transport. */
  readonly incoming: ReadonlyMap<string, WebhookKey>
}

/** The configured transports with their secrets resolved. A missing or short secret is rejected with its place in the file. */
export function openTransports({
  config,
  folder,
  stopping,
  ports,
}: Pick<Preparation, 'config' | 'folder' | 'stopping' | 'ports'>): Result<OpenedTransports> {
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
  for (const [index, one] of config.transports.entries()) {
    if ('matrix' in one) {
      const fault = (place: string, says: string) => void faults.push(`transports.${index}.${place}: ${says}`)
      const opened = ports.openRoomTransport?.(one, fault)
      if (opened === undefined) fault('matrix', 'this build has no guest for it')
      else transports.push(opened)
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
