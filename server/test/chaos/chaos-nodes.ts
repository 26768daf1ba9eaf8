import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LAUNCHER } from '../built/built.ts'
import { runGate } from '../helpers/with-running-gate.ts'
import type { Node } from '../helpers/with-nodes.ts'
import { freshSchema, testDatabase } from '../helpers/with-postgres.ts'
import { checkHistory, type CheckOptions } from './check-history.ts'
import type { History, ClientRecord, Violation } from './history.ts'
import { LOGGED_POLICY, loggedServer, logIn } from './logged-tools.ts'
import { hashOf, readLedger, readReceipts } from './read-history.ts'

export type ChaosNodes = {
  readonly log: string
  readonly address: { readonly url: string; readonly schema: string }
  /** The requests of clients and the answers they got. */
  readonly records: ClientRecord[]
  start(as?: { readonly launcher?: string; readonly env?: Readonly<Record<string, string>> }): Promise<Node>
  /** Removes a node that has ended from those that are stopped at the end. */
  gone(node: Node): void
  history(): Promise<History>
  check(options?: Partial<CheckOptions>): Promise<Checked>
  stop(): Promise<void>
}

export type Checked = {
  readonly checks: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
}

export type NodesSetup = {
  readonly config?: object
  /** The database. Without it, one on the server of this run. */
  readonly url?: string
  readonly redis?: string
}

/** Gates as separate processes on one database, each with a tool server; the tool servers share one log. */
export async function openChaosNodes({ config = {}, url, redis }: NodesSetup = {}): Promise<ChaosNodes> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chaos-nodes-'))
  const log = logIn(folder)
  const store = {
    postgres: url ?? (await testDatabase()),
    schema: freshSchema(),
    ...(redis === undefined ? {} : { redis }),
  }
  const nodes = new Set<Node>()
  const records: ClientRecord[] = []
  let keys: string | undefined
  const history = async (): Promise<History> => ({
    ...(await readLedger({
      folder: join(keys ?? '', '..'),
      postgres: { url: store.postgres, schema: store.schema },
    })),
    receipts: readReceipts(log),
    records,
  })
  return {
    log,
    address: { url: store.postgres, schema: store.schema },
    records,
    async start({ launcher = LAUNCHER, env = {} } = {}) {
      const place = mkdtempSync(join(folder, 'node-'))
      const text = { ...loggedConfig(log), store, ...config }
      writeFileSync(join(place, 'sluice.yaml'), JSON.stringify(text))
      mkdirSync(join(place, '.sluice'), { mode: 0o700 })
      if (keys !== undefined) cpSync(keys, join(place, '.sluice', 'keys'), { recursive: true })
      const node = await runGate(place, ['up', '--trust'], launcher, env)
      keys ??= keepCopy(join(node.folder, '.sluice', 'keys'), join(folder, 'kept', 'keys'))
      nodes.add(node)
      return node
    },
    gone: (node) => void nodes.delete(node),
    history,
    async check(options = {}) {
      return checked(await history(), options)
    },
    async stop() {
      await Promise.all([...nodes].map((node) => node.stop()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A gate with the tool server that keeps a log. */
export const loggedConfig = (log: string) => ({
  listen: { port: 0 },
  mcp: { surface: 'passthrough' },
  servers: { log: loggedServer(log) },
  policy: LOGGED_POLICY,
  repetition: { most: 1_000 },
})

/** What the checker finds in a history in which nothing is in progress. */
export const checked = (all: History, options: Partial<CheckOptions> = {}): Checked => ({
  violations: checkHistory(all, { hashOf, isQuiet: true, isOneClock: true, ...options }),
  checks: {
    calls: all.calls.length,
    receipts: all.receipts.length,
    decisions: all.records.filter((one) => one.is === 'decision' && one.acknowledged).length,
    runs: all.runs.length,
    'audit entries': all.audit.length,
  },
})

/** The keys stay when the first node's folder is removed. */
function keepCopy(from: string, to: string): string {
  cpSync(from, to, { recursive: true })
  return to
}
