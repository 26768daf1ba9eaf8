import type { Readable } from 'node:stream'

/** Calls back with the lines that each piece of a stream completes. */
export function linesOf(stream: Readable, onLines: (lines: readonly string[]) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) onLines(lines)
  })
}
