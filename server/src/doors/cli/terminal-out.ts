import { styleText } from 'node:util'
import { brokenText, CONTINUED, framedText } from '../../contract/framed-text.ts'
import { visibleText } from '../../contract/visible-text.ts'
import type { Client } from './client.ts'
import type { Out, Tone } from './print.ts'

const STYLES = { good: 'green', held: 'yellow', bad: 'red', head: 'bold', quiet: 'dim' } as const satisfies Record<
  Tone,
  string
>

type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/** Where the width of the screen is not known. */
const USUAL_WIDTH = 100
const widthOf = ({ columns }: Stream): number => columns ?? USUAL_WIDTH

/** Words for people on two streams: coloured where a terminal wants colours, and never able to move its cursor. */
export function terminalOut(
  stdout: Stream,
  stderr: Stream,
  json: boolean,
  /** Rewrites hints in lines of ours. */
  spoken: (text: string) => string = (text) => text,
): Out {
  const write = (stream: Stream, text: string, tone: Tone | undefined) => {
    for (const shown of linesOn(stream, text))
      // Whether colours are wanted (a terminal, NO_COLOR, FORCE_COLOR) is the runtime's to say.
      stream.write(`${tone === undefined ? shown : styleText(STYLES[tone], shown, { stream })}\n`)
  }
  // A program gets every byte. On a terminal the same JSON is written with escapes.
  const data = (text: string) =>
    void stdout.write(`${stdout.isTTY === true ? text.split('\n').map(visibleText).join('\n') : text}\n`)
  return {
    json,
    width: widthOf(stdout),
    line: (text, tone) => (json ? data(text) : write(stdout, spoken(text), tone)),
    error: (text, tone) => write(stderr, spoken(text), tone),
    framed(text, { indent = 0, most = Number.MAX_SAFE_INTEGER, more = '', tone, to = 'stdout' } = {}) {
      const stream = to === 'stdout' ? stdout : stderr
      const width = widthOf(stream) - indent
      for (const line of framedText(text, { width, most, more })) write(stream, `${' '.repeat(indent)}${line}`, tone)
    },
    data,
  }
}

/** A line that is too long for the screen goes on below, indented: a name of others in it never begins a line. */
function linesOn({ isTTY, columns }: Stream, text: string): string[] {
  const shown = visibleText(text)
  if (isTTY !== true || columns === undefined || shown.length <= columns) return [shown]
  const [first = '', ...more] = brokenText(shown, columns - CONTINUED.length)
  return [first, ...more.map((piece) => `${CONTINUED}${piece}`)]
}

const PATIENCE_MS = 1_000

/** The same client; a person who waits longer than a moment is told for how long already. */
export function patiently(client: Client, stderr: Stream): Client {
  if (stderr.isTTY !== true) return client
  return async (...request) => {
    const begun = Date.now()
    let told = false
    const tell = setInterval(() => {
      told = true
      stderr.write(`\r… ${Math.round((Date.now() - begun) / 1000)} s`)
    }, PATIENCE_MS)
    try {
      return await client(...request)
    } finally {
      clearInterval(tell)
      if (told) stderr.write('\r\u001b[K')
    }
  }
}
