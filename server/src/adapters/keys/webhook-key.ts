import type { WebhookKey } from '../../kernel/ports/keys.ts'
import { hmacSha256, sameBytes } from './hmac.ts'

export const MIN_WEBHOOK_SECRET_BYTES = 16

/** The bytes of a secret: `whsec_` and base64, as in Standard Webhooks, or the text itself. Undefined if too short. */
function bytesOf(secret: string): Buffer | undefined {
  const bytes = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
  return bytes.byteLength < MIN_WEBHOOK_SECRET_BYTES ? undefined : bytes
}

export function webhookKey(secret: string): WebhookKey | undefined {
  const key = bytesOf(secret)
  if (key === undefined) return undefined
  const mac = (id: string, seconds: number, body: string) => hmacSha256(key, Buffer.from(`${id}.${seconds}.${body}`))
  return {
    sign: (id, seconds, body) => `v1,${mac(id, seconds, body).toString('base64')}`,
    isGenuine(id, seconds, body, header) {
      const wanted = mac(id, seconds, body)
      return header
        .split(' ')
        .filter((part) => part.startsWith('v1,'))
        .some((part) => sameBytes(Buffer.from(part.slice('v1,'.length), 'base64'), wanted))
    },
  }
}
