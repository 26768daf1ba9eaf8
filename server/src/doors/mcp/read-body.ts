import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { ok, refuse, type Result } from '../../contract/problems.ts'

/** The text of a request's body. What is larger than the limit, or not UTF-8, is refused and not repaired. */
export function readBody(request: IncomingMessage, limit: number): Promise<Result<string>> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return Promise.resolve(tooLarge(limit))
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) resolve(tooLarge(limit))
      else chunks.push(chunk)
    })
    request.once('end', () => {
      const [first] = chunks
      const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
      resolve(isUtf8(bytes) ? ok(bytes.toString('utf8')) : refuse('request.not_ijson', { why: 'not UTF-8' }))
    })
    // Whoever broke off does not hear the answer.
    request.once('close', () => resolve(refuse('request.invalid', { paths: 'the body: it broke off' })))
  })
}

const tooLarge = (limit: number) => refuse('request.too_large', { limit: String(limit) })
