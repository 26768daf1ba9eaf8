import { hash } from 'node:crypto'
import type { Sealer } from './store-engine.ts'

/** How the text of an artifact is stored, under the digest of the text itself. */
export type ArtifactBytes = {
  encode(text: Buffer, owner: string, digest: string): Buffer
  /** Undefined if this is not the text with that digest. */
  decode(stored: Buffer, owner: string, digest: string): string | undefined
}

const SEALED = /^1\.[\w-]+\.[\w-]+$/
const placeOf = (owner: string, digest: string) => `artifacts ${owner} ${digest}`

/** Sealed if there is a key. Texts that were stored before there was one are read as they are. */
export function artifactBytes(sealer: Sealer | undefined): ArtifactBytes {
  return {
    encode: (text, owner, digest) =>
      sealer === undefined ? text : Buffer.from(sealer.seal(text.toString('utf8'), placeOf(owner, digest))),
    decode(stored, owner, digest) {
      if (hash('sha256', stored) === digest) return stored.toString('utf8')
      const text = stored.toString('latin1')
      if (sealer === undefined || !SEALED.test(text)) return undefined
      const opened = sealer.open(text, placeOf(owner, digest))
      return hash('sha256', Buffer.from(opened, 'utf8')) === digest ? opened : undefined
    },
  }
}
