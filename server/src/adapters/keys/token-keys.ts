import { randomBytes } from 'node:crypto'
import type { TokenClaims, TokenKeys } from '../../kernel/ports/keys.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import { hmacSha256, sameBytes } from './hmac.ts'

export const MIN_KEY_BYTES = 32
const VERSION = 'v1'
const DOMAIN = 'sluice.approval-token.v2'
const MAC = /^[0-9a-f]{64}$/
const NONCE = /^[0-9a-f]{16}$/

export type SignedPart = { readonly seconds: number; readonly nonce: string }

/** The signed fields, in order. Adding one requires a new domain. */
function fieldsOf({ seconds, nonce }: SignedPart, claims: TokenClaims): readonly string[] {
  return [
    VERSION,
    String(seconds),
    nonce,
    claims.approval_id,
    claims.tool_id,
    claims.definition_hash,
    claims.args_hash,
    claims.thread,
    claims.user,
    String(claims.expires_at),
    claims.packet_digest,
  ]
}

/**
 * The bytes a MAC covers: the domain, then each field as `<length in bytes>:<bytes>`, so that no two lists of fields have the
 * same bytes.
 * INVARIANT: injective (law in token-keys.test.ts). Undefined for a field that UTF-8 could not represent unchanged.
 */
export function tokenBytes(part: SignedPart, claims: TokenClaims): Buffer | undefined {
  const fields = fieldsOf(part, claims)
  const isExact = Number.isSafeInteger(part.seconds) && Number.isSafeInteger(claims.expires_at)
  if (!isExact || !fields.every((field) => field.isWellFormed())) return undefined
  return Buffer.from(DOMAIN + fields.map((field) => `${Buffer.byteLength(field)}:${field}`).join(''))
}

/** Issues and verifies approval tokens. `previous` still verifies, so that a rotation does not invalidate tokens in use. */
export function createTokenKeys(keys: { readonly active: Uint8Array; readonly previous?: Uint8Array }): TokenKeys {
  const all = keys.previous === undefined ? [keys.active] : [keys.active, keys.previous]
  if (all.some((key) => key.byteLength < MIN_KEY_BYTES)) throw new Bug('a token key is too short')
  return {
    mint(claims, now) {
      const seconds = Math.floor(now / 1000)
      const nonce = randomBytes(8).toString('hex')
      const bytes = tokenBytes({ seconds, nonce }, claims)
      if (bytes === undefined) throw new Bug('an approval contains a text that UTF-8 cannot represent')
      return `${VERSION}.${seconds}.${nonce}.${hmacSha256(keys.active, bytes).toString('hex')}`
    },
    isGenuine(token, claims) {
      // Hex decoders ignore case and stop at the first bad digit: only the exact text counts.
      if (!MAC.test(token.mac) || !NONCE.test(token.nonce)) return false
      const bytes = tokenBytes(token, claims)
      if (bytes === undefined) return false
      const presented = Buffer.from(token.mac)
      // Every key is tried, even after one matches, so that the timing does not reveal which.
      const fits = all.map((key) => sameBytes(Buffer.from(hmacSha256(key, bytes).toString('hex')), presented))
      return fits.includes(true)
    },
  }
}
