import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A cache of vectors by definition hash; entries may be dropped. */
export interface Vectors {
  get(hash: string): Float32Array | undefined
  put(entries: readonly { readonly hash: string; readonly vector: Float32Array }[]): Promise<void>
}

/**
 * Embeddings by definition hash in one file, a line each. Only a cache: for an unreadable line the vector is requested again, and
 * so it is if the disk cannot be written.
 */
export async function openVectors(file: string): Promise<Vectors> {
  const known = new Map<string, Float32Array>()
  const text = await readFile(file, 'utf8').catch(() => '')
  for (const line of text.split('\n')) {
    const [hash, packed] = line.split(' ')
    if (hash === undefined || packed === undefined) continue
    const bytes = Buffer.from(packed, 'base64')
    if (bytes.length === 0 || bytes.length % 4 !== 0) continue
    known.set(hash, new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)))
  }
  return {
    get: (hash) => known.get(hash),
    async put(entries) {
      for (const { hash, vector } of entries) known.set(hash, vector)
      const lines = entries.map(({ hash, vector }) => {
        const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
        return `${hash} ${bytes.toString('base64')}\n`
      })
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        .then(() => appendFile(file, lines.join(''), { mode: 0o600 }))
        .catch(() => undefined)
    },
  }
}
