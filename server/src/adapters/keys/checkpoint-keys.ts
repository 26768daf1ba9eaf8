import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto'
import type { CheckpointKeys } from '../../kernel/ports/audit.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import { sha256Hex } from './digest.ts'

/** The seed of a private key and the raw public key, 32 bytes each in hex. A retired key has only the second. */
export type CheckpointKey = { readonly public: string; readonly seed?: string }

const RAW = /^[0-9a-f]{64}$/
const SIGNATURE = /^[0-9a-f]{128}$/
/** The DER prefix of the 32 bytes (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** The first 16 hex digits of the SHA-256 of the raw public key. */
export const checkpointKeyId = (publicHex: string): string => sha256Hex(Buffer.from(publicHex, 'hex')).slice(0, 16)

export function privateKeyOf(seed: string): KeyObject {
  return createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.from(seed, 'hex')]), format: 'der', type: 'pkcs8' })
}

export function publicKeyOf(raw: string): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, Buffer.from(raw, 'hex')]), format: 'der', type: 'spki' })
}

const rawOf = (key: KeyObject): string =>
  key.export({ format: 'der', type: 'spki' }).subarray(SPKI.length).toString('hex')

export function newCheckpointKey(): Required<CheckpointKey> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(PKCS8.length).toString('hex')
  return { public: rawOf(publicKey), seed }
}

/** Whether the parts are well-formed and the seed, if there is one, belongs to the public key. */
export function isCheckpointKey(value: unknown): value is CheckpointKey {
  if (typeof value !== 'object' || value === null) return false
  const { public: raw, seed } = value as Partial<Record<keyof CheckpointKey, unknown>>
  if (typeof raw !== 'string' || !RAW.test(raw)) return false
  if (seed === undefined) return true
  return typeof seed === 'string' && RAW.test(seed) && rawOf(createPublicKey(privateKeyOf(seed))) === raw
}

/** Signs with the active key; verifies with every key this folder ever had. Public keys and signatures are lower-case hex. */
export function createCheckpointKeys(
  active: Required<CheckpointKey>,
  retired: readonly CheckpointKey[],
): CheckpointKeys {
  const known = new Map([active, ...retired].map((key) => [checkpointKeyId(key.public), key.public]))
  const verifying = new Map([...known].map(([id, raw]) => [id, publicKeyOf(raw)]))
  const signing = privateKeyOf(active.seed)
  const activeId = checkpointKeyId(active.public)
  if (!isCheckpointKey(active)) throw new Bug('the two halves of the active checkpoint key do not match')
  return {
    sign: (text) => ({ key: activeId, signature: sign(null, Buffer.from(text), signing).toString('hex') }),
    isGenuine(text, key, signature) {
      const publicKey = verifying.get(key)
      if (publicKey === undefined || !SIGNATURE.test(signature)) return false
      return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'hex'))
    },
    publicKey: (key) => known.get(key),
    publicKeys: () => [...known].map(([key, public_key]) => ({ key, public_key, active: key === activeId })),
  }
}
