import { isoTime } from '../text/iso-time.ts'
import type { AuditEntry } from '../contract/audit.ts'

/** The latest time that can be written. */
const LATEST_MS = 8_640_000_000_000_000

type Cell = string | number | undefined

const COLUMNS: Readonly<Record<string, (entry: Partial<AuditEntry>) => Cell>> = {
  stream: ({ stream }) => stream,
  seq: ({ seq }) => seq,
  at: ({ at }) => at,
  time: ({ at }) => (at !== undefined && Math.abs(at) <= LATEST_MS ? isoTime(at) : undefined),
  type: ({ type }) => type,
  actor: ({ actor }) => actor,
  trace: ({ trace }) => trace,
  subject: ({ subject }) => JSON.stringify(subject),
  args_hash: ({ args_hash }) => args_hash,
  effect: ({ verdict }) => verdict?.effect,
  rules: ({ verdict }) => verdict?.evidence?.map(({ rule }) => rule).join(' '),
  outcome: ({ outcome }) => outcome,
  about: ({ about }) => JSON.stringify(about),
  prev_hash: ({ prev_hash }) => prev_hash,
  hash: ({ hash }) => hash,
}

export const csvHeader = Object.keys(COLUMNS).join(',')

/** One entry in RFC 4180 format. */
export function csvRow(entry: Partial<AuditEntry>): string {
  return Object.values(COLUMNS)
    .map((column) => csvCell(column(entry)))
    .join(',')
}

/**
 * INVARIANT: no cell is ever a formula. Spreadsheets evaluate cells that start with an operator, quoted or not, some also in its
 * full-width form or after white space and control characters; a leading apostrophe makes them text.
 */
const MAY_BE_FORMULA = /^[\s\p{C}=+\-@|%＝＋－＠]/u

function csvCell(value: Cell): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = MAY_BE_FORMULA.test(value) ? `'${value}` : value
  return `"${text.replaceAll('"', '""')}"`
}
