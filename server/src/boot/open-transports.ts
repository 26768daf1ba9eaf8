import type { WebhookKey } from '../commands/ports/keys.ts'
import type { MessageTransport } from '../commands/ports/transports.ts'
import type { Config } from '../contract/config.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { MIN_WEBHOOK_SECRET_BYTES, webhookKey } from '../keys/webhook-key.ts'
import { secretOf } from '../upstream/server-config.ts'
import { webhookTransport } from '../upstream/transports/webhook-transport.ts'

export type OpenedTransports = {
  readonly transports: readonly MessageTransport[]
  /** Who may hand in messages, by the name of the transport. */
  readonly incoming: ReadonlyMap<string, WebhookKey>
}

/** The configured transports with their secrets fetched. One that is absent or too short is refused by its place in the file. */
export function openTransports(
  settings: Config['transports'],
  folder: string,
  stopping: AbortSignal,
): Result<OpenedTransports> {
  const faults: string[] = []
  const keyOf = (reference: string, where: string): WebhookKey | undefined => {
    const secret = secretOf(reference, folder, process.env) ?? ''
    const key = webhookKey(secret)
    if (key === undefined)
      faults.push(
        `transports.${where}: ${secret === '' ? 'secret is absent' : `shorter than ${MIN_WEBHOOK_SECRET_BYTES} bytes`}`,
      )
    return key
  }
  const transports: MessageTransport[] = []
  const incoming = new Map<string, WebhookKey>()
  for (const [index, one] of settings.entries()) {
    const key = keyOf(one.secret, `${index}.secret`)
    if (key !== undefined) transports.push(webhookTransport(one, { key, clock: Date.now, stopping }))
    if (one.incoming === undefined) continue
    const theirs = keyOf(one.incoming.secret, `${index}.incoming.secret`)
    if (secretOf(one.incoming.secret, folder, process.env) === secretOf(one.secret, folder, process.env))
      faults.push(`transports.${index}.incoming.secret: the same secret as for what goes out`)
    if (theirs !== undefined) incoming.set(one.name, theirs)
  }
  return faults.length === 0 ? ok({ transports, incoming }) : refuse('config.invalid', { paths: faults.join('; ') })
}
