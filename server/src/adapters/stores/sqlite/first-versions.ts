import type { Table } from '../../../kernel/ports/ledger.ts'

/** A row as this thread inserted it. */
type Inserted = { readonly id: string; readonly body: string; readonly mac: Uint8Array }

/** Ids end in random hexadecimal digits. */
const DIGITS = 3
const SLOTS = 1_024
/** Characters. */
const MOST_TEXT = 8_192

/**
 * Calls that were inserted a moment ago. Nearly every call is updated once, soon after, and SQLite can compare the stored row with
 * what is remembered here much faster than a MAC of it can be computed. Each id has one slot, which a later call may take over.
 * What is remembered may not be stored, if its transaction was undone.
 */
export function firstVersions() {
  const slots: (Inserted | undefined)[] = Array.from({ length: SLOTS }, () => undefined)
  return {
    note(table: Table, id: string, body: string, mac: Uint8Array): void {
      if (table === 'calls' && body.length <= MOST_TEXT) slots[slotOf(id)] = { id, body, mac }
    },
    /** It is forgotten then, because the update replaces it. */
    take(table: Table, id: string): Inserted | undefined {
      const slot = slotOf(id)
      const found = slots[slot]
      if (table !== 'calls' || found?.id !== id) return undefined
      slots[slot] = undefined
      return found
    },
  }
}

const slotOf = (id: string): number => (Number.parseInt(id.slice(-DIGITS), 16) || 0) % SLOTS
