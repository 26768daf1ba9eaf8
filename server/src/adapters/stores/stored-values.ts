import type { AuditEntry } from '../../kernel/contract/audit.ts'
import type { Table } from '../../kernel/ports/ledger.ts'
import { Bug } from '../../kernel/contract/problems.ts'

/** A row that this gate did not write: it was changed or added in the database, or restored without its MAC. */
export type ForgedRow = { readonly table: Table | 'events' | 'accounts' | 'once'; readonly id: string }
export type OnForged = (found: ForgedRow) => void

/**
 * Tables whose rows restrict somebody: a pause, a passphrase, a server whose tools were listed before, what entered a session. A
 * forged row of these cannot be read, so that the reader gets `unknown`. A forged row of any other table is absent, and grants
 * nothing.
 */
export const RESTRICTING: ReadonlySet<Table> = new Set([
  'pauses',
  'passphrases',
  'passkeys',
  'servers',
  'sessions',
  'labels',
])

/** Rows of earlier releases have it only in their column. It decides what expires, and nothing else. */
const COLUMN_ALONE = 'ended_day'

export function isListedBy(row: object, where: Readonly<Record<string, unknown>>): boolean {
  const fields = row as Readonly<Record<string, unknown>>
  return Object.entries(where).every(([field, value]) => field === COLUMN_ALONE || fields[field] === value)
}

export function parsed<T>(body: string, what: string): T {
  try {
    return JSON.parse(body) as T
  } catch (cause) {
    throw new Bug(`${what} is not JSON`, { cause })
  }
}

export type StoredEntry = { readonly hash: string; readonly body: string }

/**
 * An entry as stored. One whose text is no longer an object keeps its place and its stored hash under the type `unreadable`; no
 * previous hash matches it, so it can never pass for a link of the chain.
 */
export function entryOf(stream: string, seq: number, { hash, body }: StoredEntry): AuditEntry {
  const kept = objectOf(body)
  if (kept !== undefined) return { ...(kept as AuditEntry), hash }
  return { v: 1, stream, seq, prev_hash: '', hash, at: 0, type: 'unreadable', actor: '', trace: '', subject: {} }
}

function objectOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
