import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { copyLive } from '../live-files.ts'
import { runGate, type RunningGate } from './with-running-gate.ts'
import { BOOK_TOOLS } from './with-gate.ts'
import { connect } from '../../src/adapters/stores/postgres/connect.ts'
import { freshSchema, testDatabase } from './with-postgres.ts'

export type Node = RunningGate & { stop(): Promise<void> }
export type Nodes = {
  /** The file in which the tool servers of all nodes record their effects. */
  readonly effects: string
  readonly schema: string
  /** Starts another node on the same database, with the keys of the first. */
  start(): Promise<Node>
  readonly postgres: string
  /** The file with the secret of nodes that share their keys. */
  readonly secret: string
  /** All that is in the database, as text. */
  dump(): Promise<string>
  stop(): Promise<void>
}

/** A tool server that writes its effects to a file. */
export const bookServer = (effects: string): object => ({
  command: 'node',
  args: [resolve(import.meta.dirname, '../tool-servers/effects.ts')],
  env: { EFFECTS: effects },
  tools: BOOK_TOOLS,
})

/** Gates as separate processes, each with its own data folder, on one database. `servers` replace the default tool server. */
export async function openNodes(
  config: object = {},
  redis?: string,
  servers?: (effects: string) => object,
  /** Nodes start with empty folders and get their keys from the database, with a secret that all of them have. */
  keys: 'copied' | 'shared' = 'copied',
): Promise<Nodes> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-nodes-'))
  const effects = join(folder, 'effects.txt')
  const secret = join(folder, 'secret')
  writeFileSync(secret, randomBytes(32).toString('hex'), { mode: 0o600 })
  const more = {
    ...(redis === undefined ? {} : { redis }),
    ...(keys === 'shared' ? { key_secret: `file:${secret}` } : {}),
  }
  const store = { postgres: await testDatabase(), schema: freshSchema(), ...more }
  const nodes: Node[] = []
  return {
    effects,
    schema: store.schema,
    postgres: store.postgres,
    secret,
    async start() {
      const place = mkdtempSync(join(folder, 'node-'))
      const behind = servers?.(effects) ?? { book: bookServer(effects) }
      const text = { listen: { port: 0 }, mcp: { surface: 'passthrough' }, servers: behind, store, ...config }
      writeFileSync(join(place, 'sluice.yaml'), JSON.stringify(text))
      const copied = join(folder, 'keys')
      mkdirSync(join(place, '.sluice'), { mode: 0o700 })
      if (existsSync(copied)) cpSync(copied, join(place, '.sluice', 'keys'), { recursive: true })
      const node = await runGate(place)
      if (keys === 'copied' && !existsSync(copied)) copyLive(join(place, '.sluice', 'keys'), copied)
      nodes.push(node)
      return node
    },
    async dump() {
      const client = await connect({ url: store.postgres, schema: store.schema }, 'test')
      const tables = await client.query<{ name: string }>(
        'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1',
        [store.schema],
      )
      const texts: string[] = []
      for (const { name } of tables.rows) {
        const rows = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${store.schema}.${name} t`)
        texts.push(...rows.rows.map(({ text }) => text))
      }
      await client.end()
      return texts.join('\n')
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
