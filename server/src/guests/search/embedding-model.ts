import { z } from 'zod'
import type { ModelSettings } from '../../kernel/contract/models.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Turns texts into vectors of length 1, all of one size. Undefined if it cannot: it never throws. */
export interface Embedder {
  embed(texts: readonly string[]): Promise<readonly Float32Array[] | undefined>
}

/** 16 vectors of 8,192 numbers take some 3 MB of JSON. */
const LONGEST_ANSWER = 8 * 2 ** 20
const LONGEST_VECTOR = 8_192

const Answer = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.array(z.number()).min(1).max(LONGEST_VECTOR) })),
})

/** An embedding model behind an OpenAI-compatible API. */
export function openEmbeddingModel(settings: ModelSettings, folder: string): Result<Embedder> {
  const key = settings.key === undefined ? undefined : secretOf(settings.key, folder, process.env)
  if (settings.key !== undefined && key === undefined)
    return refuse('config.invalid', { paths: 'search.embeddings.key: the secret is missing' })
  const url = new URL('embeddings', settings.url.endsWith('/') ? settings.url : `${settings.url}/`)
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
  async function post(texts: readonly string[], signal: AbortSignal): Promise<Response> {
    const body = JSON.stringify({ model: settings.model, input: texts, encoding_format: 'float' })
    // Texts go to the configured address and nowhere else.
    const send = () => fetch(url, { method: 'POST', headers, body, redirect: 'error', signal })
    // The server may just have closed the idle connection. Sending the request twice is harmless.
    return send().catch((error: unknown) => (signal.aborted ? Promise.reject(error as Error) : send()))
  }
  return ok({
    async embed(texts) {
      try {
        const answer = await post(texts, AbortSignal.timeout(settings.timeout_ms))
        const text = answer.ok ? await readShort(answer) : undefined
        return text === undefined ? undefined : vectorsIn(Answer.parse(JSON.parse(text)), texts.length)
      } catch {
        // Whatever failed, search by words is enough; the notice says that search by meaning is unavailable.
        return undefined
      }
    },
  })
}

/** The answer's text, unless it is too long: then the rest is not read. */
async function readShort(answer: Response): Promise<string | undefined> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of answer.body ?? []) {
    length += piece.length
    if (length > LONGEST_ANSWER) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** One vector for each text, all of one size, in the order of the texts. */
function vectorsIn({ data }: z.infer<typeof Answer>, count: number): Float32Array[] | undefined {
  const vectors = data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => unit(embedding))
  const isWhole = data.length === count && vectors.every(({ length }) => length === vectors[0]?.length)
  return isWhole && new Set(data.map(({ index }) => index)).size === count ? vectors : undefined
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, (part) => (length > 0 && Number.isFinite(length) ? part / length : 0))
}

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
