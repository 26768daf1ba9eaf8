import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalogue, type LiveCatalogue } from '../../src/kernel/catalogue/catalogue.ts'
import type { Rows } from '../../src/kernel/ports/ledger.ts'
import type { Digest } from '../../src/kernel/ports/runtime.ts'
import { readConfig } from '../read-config.ts'
import type { Config } from '../../src/kernel/contract/config.ts'
import { openPasskeys } from '../../src/adapters/keys/passkeys.ts'
import { scryptPassphrases } from '../../src/adapters/keys/passphrases.ts'
import { TEST_ROWS } from '../../src/adapters/stores/sqlite/open-store.suite.ts'
import { openSqliteLedger, type SqliteStore } from '../../src/adapters/stores/sqlite/open-sqlite-ledger.ts'

export const sha256: Digest = (text) => createHash('sha256').update(text).digest('hex')

/** The `servers` part of a configuration file. */
export function serversOf(servers: Record<string, object>): Config['servers'] {
  const config = readConfig({ servers })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  return config.value.servers
}

/** What proving a person needs besides the store: everybody's role is enough. */
export const TEST_PROOFS = {
  passphrases: scryptPassphrases,
  passkeys: openPasskeys(() => [Buffer.alloc(32, 7)]),
  strong: 'role',
} as const
type Proofs = typeof TEST_PROOFS & { readonly accounts: SqliteStore }

export type LedgerRig = {
  readonly store: SqliteStore
  readonly catalogue: LiveCatalogue
  /** What registering and admitting need; the clock advances by one each time it is read. */
  readonly deps: {
    readonly ledger: SqliteStore
    readonly tables: SqliteStore
    readonly clock: () => number
    readonly digest: Digest
    readonly ids: { trace(): string }
    readonly catalogue: LiveCatalogue
  } & Proofs
  readonly tool: (tool_id: string) => Promise<Rows['tools'] | undefined>
  /** Types and tools of all audit entries, in order. */
  readonly audited: () => Promise<readonly string[]>
}

/** A real ledger in a separate folder, and a catalogue over it. */
export async function withLedger(servers: Config['servers'], use: (rig: LedgerRig) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-'))
  const onFault = (error: Error) => {
    throw error
  }
  const opened = await openSqliteLedger({ file: join(folder, 'ledger.db'), stream: 'main', rows: TEST_ROWS, onFault })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  const store = opened.value
  const catalogue = await openCatalogue({ tables: store, servers })
  let now = 1_000
  const clock = () => (now += 1)
  const deps = {
    ledger: store,
    tables: store,
    clock,
    digest: sha256,
    ids: { trace: () => 'trace' },
    catalogue,
    accounts: store,
    ...TEST_PROOFS,
  }
  try {
    await use({
      store,
      catalogue,
      deps,
      tool: async (tool_id) => (await store.row('tools', tool_id))?.row,
      audited: async () =>
        (await store.entries('main', 1, 1_000)).map(({ type, subject }) => `${type} ${subject['tool'] ?? ''}`),
    })
  } finally {
    await store.close()
    rmSync(folder, { recursive: true })
  }
}
