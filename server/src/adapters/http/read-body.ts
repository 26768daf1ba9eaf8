import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'

/** If a body is this many times larger than the limit, the rest is not read. */
const MOST_TIMES_LIMIT = 16

/**
 * The text of a request's body. A body that is too large or not UTF-8 is rejected, never repaired. The rest of a large body is read
 * and discarded: a client that is still sending when the connection closes would not see the error.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Result<string>> {
  return new Promise((resolve) => {
    let chunks: Buffer[] = []
    let size = 0
    let isWhole = false
    const isLarge = Number(request.headers['content-length'] ?? 0) > limit
    if (isLarge) resolve(refuse('request.too_large', { limit: String(limit) }))
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) resolve(refuse('request.too_large', { limit: String(limit) }))
      else if (!isLarge) chunks.push(chunk)
      if (size > limit * MOST_TIMES_LIMIT) request.destroy()
    })
    request.on('end', () => {
      isWhole = true
      const [first] = chunks
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
      // The request stays in memory until it is answered. Its bytes are not needed any more.
      chunks = []
      resolve(isUtf8(bytes) ? ok(bytes.toString('utf8')) : refuse('request.not_ijson', { why: 'not UTF-8' }))
    })
    // The client disconnected, so nobody receives the answer.
    request.on('close', () => {
      if (!isWhole) resolve(refuse('request.invalid', { paths: 'the body: it was cut off' }))
    })
  })
}
