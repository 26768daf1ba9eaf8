import { InvalidArgumentError } from 'commander'

/** A whole number from 1, for an option. */
export function countOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number, 1 or more.')
}

/** A whole number from 0, for an option. */
export function wholeOf(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number, 0 or more.')
}

/** A port, for an option. */
function portOf(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text)
  throw new InvalidArgumentError('expected a port number up to 65535.')
}

/** Of the commands that run a gate. */
export const PORT = ['--port <port>', 'listen on this port instead of the configured one', portOf] as const
export const TRUST = ['--trust', 'trust the configuration without asking, for scripts and services'] as const
export type StartOptions = { readonly port?: number; readonly trust?: boolean }

/** A number of seconds, for `--wait`. */
export function secondsToWait(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value
  throw new InvalidArgumentError('expected a number of seconds, such as 30.')
}

/** One of these words, for an argument or an option. */
export const oneOf =
  (...words: readonly string[]) =>
  (text: string): string => {
    if (words.includes(text)) return text
    throw new InvalidArgumentError(`expected one of ${words.join(', ')}.`)
  }

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds since 1970; 0 means everything; undefined if the text cannot be parsed. */
export function sinceOf(text: string): number | undefined {
  if (text === '') return 0
  const span = /^(\d{1,6})([mhd])$/.exec(text)
  if (span !== null) return Date.now() - Number(span[1]) * (UNITS[span[2] ?? 'd'] ?? 0)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date
}
