import type { Readable } from 'node:stream'

const NEW_LINE = 0x0a

/** Calls back with the bytes of each line of a stream, without the line break. Resolves at the end of the stream. */
export function readLines(input: Readable, take: (line: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let parts: Buffer[] = []
    const finish = (last: Buffer) => {
      const line = parts.length === 0 ? last : Buffer.concat([...parts, last])
      parts = []
      take(line)
    }
    input.on('data', (chunk: Buffer) => {
      let from = 0
      for (let at = chunk.indexOf(NEW_LINE); at !== -1; at = chunk.indexOf(NEW_LINE, from)) {
        finish(chunk.subarray(from, at))
        from = at + 1
      }
      if (from < chunk.length) parts.push(chunk.subarray(from))
    })
    input.once('end', () => {
      if (parts.length > 0) finish(Buffer.alloc(0))
      resolve()
    })
    input.once('error', reject)
  })
}
