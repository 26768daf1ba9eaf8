import { randomBytes, scrypt } from 'node:crypto'
import type { Passphrases } from '../../kernel/ports/keys.ts'
import type { SealedPassphrase } from '../../kernel/contract/passphrase.ts'
import { sameBytes } from './hmac.ts'

/** 32 MB and about a tenth of a second per attempt. */
const NOW = { cost: 32_768, block: 8, parallel: 1 } as const
const HASH_BYTES = 32

/** Passphrases hashed with scrypt, each with a salt and its own parameters. */
export const scryptPassphrases: Passphrases = {
  async seal(passphrase) {
    const salt = randomBytes(16)
    const hash = await derive(passphrase, salt, NOW)
    return { kdf: 'scrypt', ...NOW, salt: salt.toString('hex'), hash: hash.toString('hex') }
  },
  async fits(sealed, passphrase) {
    const hash = await derive(passphrase, Buffer.from(sealed.salt, 'hex'), sealed)
    return sameBytes(hash, Buffer.from(sealed.hash, 'hex'))
  },
}

type Parameters = Pick<SealedPassphrase, 'cost' | 'block' | 'parallel'>

function derive(passphrase: string, salt: Buffer, { cost, block, parallel }: Parameters): Promise<Buffer> {
  const options = { N: cost, r: block, p: parallel, maxmem: 256 * cost * block }
  return new Promise((resolve, reject) => {
    // Two keyboards may encode one letter in two ways.
    scrypt(passphrase.normalize('NFKC'), salt, HASH_BYTES, options, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    )
  })
}
