import { styleText } from 'node:util'
import { pino } from 'pino'
import type { Log } from '../kernel/ports/log.ts'
import { visibleText } from '../kernel/contract/visible-text.ts'
import type { ScrubText } from './scrub-text.ts'

type LogStream = NodeJS.WritableStream & { readonly isTTY?: boolean; readonly fd?: number }

/** Readable lines on a terminal, one JSON object per line everywhere else. Secrets are removed from both. */
export function openLog(stream: LogStream, scrub: ScrubText): Log {
  if (stream.isTTY === true)
    return (level, says, about) =>
      void stream.write(`${terminalLine(stream, level, scrub(says), scrubbed(scrub, about))}\n`)
  const logger = pino({ level: 'info', base: null }, pino.destination({ dest: stream.fd ?? 2, sync: false }))
  return (level, says, about) => logger[level](scrubbed(scrub, about), scrub(says))
}

const STYLES = { info: 'dim', warn: 'yellow', error: 'red' } as const
/** Only useful in the log file, and many lines long. */
const LEFT_OUT = new Set(['server', 'stack'])

/** `20:41:55 outbox: is ready with 4 tools`: the time, the source, and what happened; then details. */
export function terminalLine(
  stream: LogStream,
  level: keyof typeof STYLES,
  says: string,
  about: Readonly<Record<string, unknown>>,
): string {
  const time = new Date().toLocaleTimeString('en-GB')
  const { server } = about
  const prefix = typeof server === 'string' ? `${server}: ` : ''
  const details = Object.entries(about)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const text = [`${prefix}${says}`, ...details].join('  ')
  const mark = level === 'info' ? '' : `${level}: `
  return styleText(STYLES[level], visibleText(`${time} ${mark}${text}`), { stream })
}

/** A tool server's stderr, or an error's text, may contain anything. */
function scrubbed(scrub: ScrubText, about: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(about).map(([key, value]) => [key, typeof value === 'string' ? scrub(value) : value]),
  )
}
