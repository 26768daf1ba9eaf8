import { join } from 'node:path'
import { ok } from '../../../kernel/contract/problems.ts'
import { fileArtifacts } from '../artifacts.ts'
import { localMembers } from '../local-notices.ts'
import { rowMacs } from '../row-mac.ts'
import type { StoreEngine } from '../store-engine.ts'
import { joinBoots } from './boot-locks.ts'
import { connectForReads } from './connect.ts'
import { ledgerFile, ledgerState } from './ledger-file.ts'
import { hasAllKeys } from './once-keys.ts'
import { openSqliteLedger } from './open-sqlite-ledger.ts'
import { reads } from './reads.ts'
import { FIRST_WITH_MACS, FIRST_WITH_ONCE_MACS, isOlder, schemaOf, versionOf } from './schema.ts'
import type { Counts } from '../../../kernel/ports/counts.ts'
import type { Clock } from '../../../kernel/ports/runtime.ts'

/** SQLite in the data folder: one node. */
export const embeddedEngine: StoreEngine = {
  async open({ folder, sealer, ...setup }) {
    const opened = await openSqliteLedger({ file: ledgerFile(folder), ...setup })
    if (!opened.ok) return opened
    const { value: engine } = opened
    return ok({
      ledger: engine,
      tables: engine,
      searches: engine,
      accounts: engine,
      audit: engine,
      tail: engine,
      journal: engine,
      artifacts: fileArtifacts(join(folder, 'artifacts'), sealer),
      counts: localCounts(() => performance.now()),
      scrub: () => engine.scrub(),
      close: () => engine.close(),
    })
  },

  async join({ folder }) {
    const joined = joinBoots(join(folder, 'boots'))
    if (!joined.ok) return joined
    const notices = localMembers().join()
    return ok({
      notices,
      liveness: joined.value,
      // The embedded engine has one writer: docs/decisions/postgres-store.md
      stream: 'main',
      async leave() {
        notices.leave()
        joined.value.leave()
      },
    })
  },

  state: async ({ folder }) => ok(ledgerState(ledgerFile(folder))),

  needsMigration: async ({ folder }) => isOlder(ledgerFile(folder)),

  async hasRowMacs({ folder }) {
    const file = ledgerFile(folder)
    return ledgerState(file) !== undefined && (schemaOf(file) ?? 0) >= FIRST_WITH_MACS
  },

  async openForReads({ folder }, key, onForged) {
    const db = connectForReads(ledgerFile(folder))
    const macs = rowMacs(key)
    const all = reads(db, macs, onForged)
    return {
      tables: all,
      audit: all,
      accounts: all,
      // Before the migration that gives keys their MACs there is nothing to compare.
      hasAllKeys: async () =>
        versionOf(db) < FIRST_WITH_ONCE_MACS || hasAllKeys(db, macs, (id) => onForged({ table: 'once', id })),
      close: async () => db.close(),
    }
  },
}

const MOST = 20_000

/**
 * Counts of one process.
 * INVARIANT: memory is bounded whatever is counted; the oldest count is dropped first.
 */
export function localCounts(clock: Clock): Counts {
  const counts = new Map<string, { readonly count: number; readonly ends: number }>()
  const addOne = (name: string, by: number, window_ms: number, now: number) => {
    const found = counts.get(name)
    const last = found !== undefined && found.ends > now ? found : { count: 0, ends: now + window_ms }
    const next = { ...last, count: Math.max(0, last.count + by) }
    counts.delete(name)
    if (next.count > 0) counts.set(name, next)
    if (counts.size > MOST) forgetOldest()
    return { count: next.count, left_ms: next.ends - now }
  }
  const forgetOldest = () => {
    const [oldest] = counts.keys()
    if (oldest !== undefined) counts.delete(oldest)
  }
  return {
    async add(parts, window_ms) {
      const now = clock()
      return parts.map(({ name, by }) => addOne(name, by, window_ms, now))
    },
  }
}
