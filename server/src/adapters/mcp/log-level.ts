import type { Json } from '../../kernel/contract/json.ts'

/** The levels of syslog, least important first. */
export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export const logLevelOf = (value: Json | undefined): LogLevel | undefined => LOG_LEVELS.find((level) => level === value)

/** A line with an unknown level is passed on, because it may be important. */
export function isAtLeast(level: Json | undefined, least: LogLevel): boolean {
  const known = logLevelOf(level)
  return known === undefined || LOG_LEVELS.indexOf(known) >= LOG_LEVELS.indexOf(least)
}
