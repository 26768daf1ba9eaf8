import { styleText } from 'node:util'
import { brokenText, CONTINUED, framedText } from '../../kernel/contract/framed-text.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import type { CliClient } from './client.ts'
import type { Out, Tone } from './print.ts'

const STYLES = { good: 'green', held: 'yellow', bad: 'red', head: 'bold', quiet: 'dim' } as const satisfies Record<
  Tone,
  string
>

type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number }

/** Used if the width of the screen is not known. */
const USUAL_WIDTH = 100
/** A pseudo-terminal whose size nobody has set reports 0. */
export const knownSize = (size: number | undefined): number | undefined => (size === 0 ? undefined : size)
const widthOf = ({ columns }: Stream): number => knownSize(columns) ?? USUAL_WIDTH

/** Text for people on two streams: coloured if the terminal supports it, and never able to move its cursor. */
export function terminalOut(
  stdout: Stream,
  stderr: Stream,
  json: boolean,
  /** Rewrites hints in our own lines. */
  spoken: (text: string) => string = (text) => text,
): Out {
  const write = (stream: Stream, text: string, tone: Tone | undefined) => {
    for (const shown of linesOn(stream, text))
      // The runtime decides whether to use colours (terminal, NO_COLOR, FORCE_COLOR).
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

/** A line that is too long for the screen is wrapped with an indent, so that text of others never begins a line. */
function linesOn(stream: Stream, text: string): string[] {
  const shown = visibleText(text)
  const columns = knownSize(stream.columns)
  if (stream.isTTY !== true || columns === undefined || shown.length <= columns) return [shown]
  const [first = '', ...more] = brokenText(shown, columns - CONTINUED.length)
  return [first, ...more.map((piece) => `${CONTINUED}${piece}`)]
}

const NOTICE_AFTER_MS = 1_000

/** The same client, with a message for the person if an answer takes long. */
export function withWaitNotice(client: CliClient, stderr: Stream): CliClient {
  if (stderr.isTTY !== true) return client
  return async (...request) => {
    const begun = Date.now()
    let isShown = false
    const timer = setInterval(() => {
      isShown = true
      stderr.write(`\r… ${Math.round((Date.now() - begun) / 1000)} s`)
    }, NOTICE_AFTER_MS)
    try {
      return await client(...request)
    } finally {
      clearInterval(timer)
      if (isShown) stderr.write('\r\u001b[K')
    }
  }
}
