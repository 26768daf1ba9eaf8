import type { DatabaseSync } from 'node:sqlite'
import type { Divergence } from '../batch-link.ts'
import { keyTotals, type KeyTotals, type StoredKey, type StoredSumRow } from '../compare-keys.ts'
import { addTerms, KEYS_CHANGED, NO_KEYS, withKey, withoutKeys, type OnceSum } from '../once-sum.ts'
import type { RowMacs } from '../row-mac.ts'

/** What the writing thread remembers of the single-use keys, whatever happens to its connection. */
export type OnceMemory = {
  /** Nobody else writes. */
  readonly alone: boolean
  /** How many changes to keys this process has seen stored. */
  n?: number | undefined
  /** The same of an earlier process. */
  readonly floor?: number | undefined
  /** Set when keys were found missing, until it was reported. */
  diverged?: Divergence | undefined
  /** Keys that this gate did not write, until they were reported. */
  forged: string[]
}

/** The single-use keys, while a transaction holds the write lock. */
export type OnceKeys = {
  /**
   * Compares the keys with their sum if something else may have written. False if keys are missing. `isUntouched`: nobody else has
   * written since this connection last began.
   */
  begin(isUntouched: boolean): boolean
  /** False if the key is used. */
  take(key: string, until: number): boolean
  purge(before: number): void
  /** The state to return to when a commit is undone. */
  mark(): OnceSum | undefined
  back(mark: OnceSum | undefined): void
  /** Writes the sum, before COMMIT. */
  save(): void
  /** After COMMIT. */
  committed(): void
  /** After ROLLBACK, before the same group is tried again. */
  undo(): void
}

export function onceKeys(db: DatabaseSync, stream: string, memory: OnceMemory, macs: RowMacs): OnceKeys {
  const insert = db.prepare('INSERT INTO once (key, until, mac) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const expired = db.prepare(
    'SELECT key, until FROM once WHERE until < ? AND mac IS once_mac(key, until) ORDER BY until LIMIT 1000',
  )
  const remove = db.prepare('DELETE FROM once WHERE key = ?')
  const ownSum = db.prepare(`${SUMS} WHERE stream = ?`)
  const write = db.prepare('INSERT OR REPLACE INTO once_sums (stream, n, masked, mac) VALUES (?, ?, ?, ?)')
  const discard = db.prepare('DELETE FROM once_sums WHERE stream <> ?')
  let isCompared = false
  let own: OnceSum | undefined
  let saved: OnceSum | undefined

  const least = (): number => Math.max(memory.n ?? 0, memory.floor ?? 0)

  /**
   * Whether the keys are those that were stored, and nothing in the database can delete them. If not, what is there is summed anew, so
   * that it is reported once.
   */
  const compare = (): boolean => {
    const foreign = dropForeign(db)
    if (foreign.length > 0)
      memory.diverged ??= { stream, seq: 0, says: `the database contained a ${foreign.join(', a ')}; it was removed` }
    const totals = totalsIn(db, macs, (key) => memory.forged.push(key))
    const stored = totals.sums().get(stream) ?? NO_KEYS
    own = saved = stored
    if (totals.isWhole() && stored.n >= least()) return foreign.length === 0
    memory.diverged ??= { stream, seq: 0, says: KEYS_CHANGED }
    discard.run(stream)
    own = { n: Math.max(stored.n, least()) + 1, sum: totals.keys() }
    return false
  }

  const loaded = (): OnceSum => {
    if (own !== undefined) return own
    const row = ownSum.get(stream) as StoredSumRow | undefined
    const sum = row === undefined ? undefined : macs.openSum(stream, row.n, row)
    own = saved = row === undefined || sum === undefined ? NO_KEYS : { n: row.n, sum }
    return own
  }

  return {
    begin(isUntouched) {
      const isSame = isCompared && (!memory.alone || isUntouched)
      isCompared = true
      if (!memory.alone) own = saved = undefined
      return isSame || compare()
    },
    take(key, until) {
      const { mac, term } = macs.once(key, until)
      if (insert.run(key, until, mac).changes !== 1) return false
      own = withKey(loaded(), term)
      return true
    },
    purge(before) {
      const rows = expired.all(before) as { key: string; until: number }[]
      if (rows.length === 0) return
      for (const { key } of rows) remove.run(key)
      own = withoutKeys(
        loaded(),
        rows.map(({ key, until }) => macs.once(key, until).term),
      )
    },
    mark: () => own,
    back(mark) {
      own = mark
    },
    save() {
      if (own === undefined || own.n === saved?.n) return
      const { masked, mac } = macs.sealSum(stream, own)
      write.run(stream, own.n, masked, mac)
    },
    committed() {
      if (own === undefined) return
      memory.n = own.n
      saved = own
    },
    undo() {
      // What was found missing is found again.
      if (memory.diverged !== undefined) isCompared = false
      own = saved
    },
  }
}

const SUMS = 'SELECT stream, n, masked, mac FROM once_sums'

/** Inside a transaction. */
export function totalsIn(db: DatabaseSync, macs: RowMacs, onForged: (key: string) => void): KeyTotals {
  const totals = keyTotals(macs, onForged)
  for (const row of db.prepare('SELECT key, until, mac FROM once').iterate() as Iterable<StoredKey>) totals.key(row)
  for (const row of db.prepare(SUMS).all() as StoredSumRow[]) totals.sum(row)
  return totals
}

/** Whether the keys are those that were stored, from one snapshot. Read-only. */
export function hasAllKeys(db: DatabaseSync, macs: RowMacs, onForged: (key: string) => void): boolean {
  db.exec('BEGIN')
  try {
    return totalsIn(db, macs, onForged).isWhole()
  } finally {
    db.exec('COMMIT')
  }
}

/** The first sum of the keys of an earlier release, which get their MACs here. */
export function sealOnces(db: DatabaseSync, stream: string, macs: RowMacs): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    db.exec('UPDATE once SET mac = once_mac(key, until)')
    const rows = db.prepare('SELECT key, until FROM once').iterate() as Iterable<{ key: string; until: number }>
    let sum = 0n
    for (const { key, until } of rows) sum = addTerms(sum, [macs.once(key, until).term])
    const last = db.prepare('SELECT max(n) AS n FROM once_sums').get()?.['n']
    const next = { n: Number(last ?? 0) + 1, sum }
    const { masked, mac } = macs.sealSum(stream, next)
    db.exec('DELETE FROM once_sums')
    db.prepare('INSERT INTO once_sums (stream, n, masked, mac) VALUES (?, ?, ?, ?)').run(stream, next.n, masked, mac)
    db.exec('COMMIT')
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

/**
 * Removes triggers and views, of which this gate has none: a trigger would run inside its transactions and could delete what was just
 * stored. Returns the names of what was removed.
 */
function dropForeign(db: DatabaseSync): readonly string[] {
  const found = db.prepare("SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')").all()
  for (const { type, name } of found)
    db.exec(`DROP ${type === 'view' ? 'VIEW' : 'TRIGGER'} IF EXISTS "${String(name).replaceAll('"', '""')}"`)
  return found.map(({ type, name }) => `${String(type)} \`${String(name).slice(0, 100)}\``)
}
