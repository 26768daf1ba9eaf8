import { randomBytes } from 'node:crypto'
import type { CallerKind } from '../contract/caller.ts'
import type { Sha256 } from '../contract/ids.ts'
import { sha256Hex } from './digest.ts'
import { sameBytes } from './hmac.ts'

/** 256 random bits need no slow hash: nobody can guess them, so a plain digest is enough to keep. */
export const hashApiKey = (key: string): Sha256 => sha256Hex(key)

/** A new credential. The prefix lets people and secret scanners recognise it; the key is shown once, the hash is kept. */
export function newApiKey(kind: CallerKind): { key: string; hash: Sha256 } {
  const key = `sluice_${kind}_${randomBytes(32).toString('base64url')}`
  return { key, hash: hashApiKey(key) }
}

/** Whether two secrets are equal, in a time that tells neither their content nor their lengths. */
export const sameSecret = (a: string, b: string): boolean =>
  sameBytes(Buffer.from(sha256Hex(a)), Buffer.from(sha256Hex(b)))
