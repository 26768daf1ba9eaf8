import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { DerivedKeys } from './key-folder.ts'

const NONCE = 16
const TIME = 8
const MAC = 32

export type SignedNonce = {
  /** To be spent once. */
  readonly nonce: string
  readonly expires_at: number
  /** A secret of this nonce, the same on every node. */
  secret(purpose: string): string
}

export type SignedNonces = {
  make(claims: readonly string[], now: number): string
  /** Undefined if it was not made here, not for these claims, or too long ago. */
  read(text: string, claims: readonly string[], now: number): SignedNonce | undefined
}

/**
 * Random texts with a MAC over what they are for and until when. Nothing is stored for them, so anybody may be given one, and every
 * node of the store recognizes them.
 */
export function signedNonces(derived: DerivedKeys, purpose: string, kept_ms: number): SignedNonces {
  const macOf = (key: Buffer, claims: readonly string[], head: Buffer) =>
    createHmac('sha256', key).update(JSON.stringify(claims)).update(head).digest()

  return {
    make(claims, now) {
      const head = Buffer.concat([randomBytes(NONCE), Buffer.alloc(TIME)])
      head.writeDoubleBE(now + kept_ms, NONCE)
      return Buffer.concat([head, macOf(derived(purpose)[0], claims, head)]).toString('base64url')
    },
    read(text, claims, now) {
      const bytes = Buffer.from(text, 'base64url')
      if (bytes.length !== NONCE + TIME + MAC || bytes.toString('base64url') !== text) return undefined
      const head = bytes.subarray(0, NONCE + TIME)
      const mac = bytes.subarray(NONCE + TIME)
      const expires_at = head.readDoubleBE(NONCE)
      const key = derived(purpose).find((one) => timingSafeEqual(mac, macOf(one, claims, head)))
      if (key === undefined || !(expires_at > now)) return undefined
      return {
        nonce: head.subarray(0, NONCE).toString('hex'),
        expires_at,
        secret: (of) => createHmac('sha256', key).update(`secret ${of}`).update(head).digest('base64url'),
      }
    },
  }
}
