import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LEASE } from '../../src/stores/postgres/boots.ts'
import { binaries, startPostgres, startServer, stopPostgres } from '../postgres/start-postgres.ts'
import type { Node } from '../postgres/with-nodes.ts'
import { openChaosNodes } from './chaos-nodes.ts'
import { seeded } from './random.ts'
import type { PartReport } from './report.ts'
import { client, tellOf, type Load } from './soak-load.ts'
import { becomeQuiet } from './soak-part.ts'

const CLIENTS = 8
const WAIT_MS = 60_000
/** Long enough for every lease to run out, and for a node that ends because of it to have ended. */
const AWAY_MS = 2 * LEASE.lease_ms
/** How the database goes away: it is shut down, and then it crashes. */
const ENDS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']

/**
 * The database is away for longer than a lease, twice, under two nodes with load; a third one is killed meanwhile. The two go on without a
 * restart and take over what the third left. Then the database goes away for good, and nodes that are told to end do so.
 */
export async function awayPart(setup: { readonly seed: number; readonly hasPostgres: boolean }): Promise<PartReport> {
  const part = 'the database is away for longer than a lease, under two nodes with load'
  const programs = await binaries()
  if (!setup.hasPostgres || programs === undefined)
    return { part, faults: {}, checks: {}, violations: [], notes: ['SKIPPED: there is no Postgres'] }
  const folder = mkdtempSync(join(tmpdir(), 'sluice-away-'))
  chmodSync(folder, 0o755)
  const place = join(folder, 'postgres')
  const port = await startPostgres(place, programs)
  const nodes = await openChaosNodes({}, Promise.resolve(`postgres://sluice@127.0.0.1:${port}/postgres`))
  try {
    const kept = [await nodes.start(), await nodes.start()] as const
    const killed = await nodes.start()
    const agent = await kept[0].key('agent', 'a', 'ana')
    const prober = await kept[0].key('agent', 'p', 'pia')
    const approver = await kept[0].key('approver', 'bob')
    const random = seeded(setup.seed)
    let isOver = false
    const alive = new Set<Node>([...kept, killed])
    const tell: Load['tell'] = (told) => void nodes.told.push(told)
    const load: Load = { agent, approver, random, nodes: () => [...alive], tell, isOver: () => isOver }
    const clients = Array.from({ length: CLIENTS }, (_, index) => client(load, `c${index}`))
    let gone = 0
    const notes: string[] = []
    for (const signal of ENDS) {
      await executes(kept, prober, `p${gone}`, tell)
      await stopPostgres(place, signal)
      gone += 1
      await Promise.all(kept.map((node) => becomesClosed(node)))
      if (alive.delete(killed)) await kill(killed)
      nodes.gone(killed)
      await sleep(AWAY_MS)
      for (const node of kept) mustRun(node)
      await startServer({ postgres: programs.postgres, folder: place, port })
      const back = performance.now()
      await executes(kept, prober, `q${gone}`, tell)
      notes.push(`${signal}: both nodes executed calls ${Math.round(performance.now() - back)} ms after it was back`)
      // Longer than it takes until nodes judge each other again.
      await sleep(AWAY_MS)
      for (const node of kept) mustRun(node)
    }
    isOver = true
    const made = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0)
    const rounds = await becomeQuiet(nodes, load)
    const { checks, violations } = await nodes.check()
    const settled = nodes.told.filter(({ is }) => is === 'settlement').length
    notes.push(`${made} calls by ${CLIENTS} clients, ${settled} settled by a person, quiet after ${rounds} looks`)
    await stopPostgres(place)
    for (const node of kept) {
      await becomesClosed(node)
      await ends(node)
      nodes.gone(node)
    }
    const faults = { 'database away': gone + 1, 'SIGKILL of a node meanwhile': 1, 'SIGTERM of a node meanwhile': 2 }
    return { part, faults, checks, violations, notes }
  } finally {
    await nodes.stop()
    await stopPostgres(place)
    rmSync(folder, { recursive: true, force: true })
  }
}

function mustRun({ process: { exitCode, signalCode, pid } }: Node): void {
  if (exitCode !== null || signalCode !== null) throw new Error(`node ${pid} ended (${exitCode ?? signalCode})`)
}

async function kill(node: Node): Promise<void> {
  const ended = once(node.process, 'exit')
  node.process.kill('SIGKILL')
  await ended
}

/** Ends on SIGTERM. */
async function ends(node: Node): Promise<void> {
  mustRun(node)
  const ended = once(node.process, 'exit')
  node.process.kill('SIGTERM')
  const late = sleep(WAIT_MS, 'late' as const)
  if ((await Promise.race([ended, late])) !== 'late') return
  node.process.kill('SIGKILL')
  throw new Error('a node that was told to end while its database was away did not end')
}

/** It says that it accepts no calls, and why. */
async function becomesClosed(node: Node): Promise<void> {
  await until(
    () => 'a node accepted calls without its database',
    async () => {
      const { status, body } = await node.http('GET', '/readyz', undefined)
      return status === 503 && String(body['code']).startsWith('audit.')
    },
  )
}

/** Each of the nodes executes a call of its own. */
async function executes(nodes: readonly Node[], key: string, text: string, tell: Load['tell']): Promise<void> {
  for (const [index, node] of nodes.entries()) {
    let tries = 0
    let last = ''
    await until(
      () => `node ${index} executed nothing ${text}: ${last}`,
      async () => {
        mustRun(node)
        const args = { text: `${text}-${index}-${(tries += 1)}` }
        const answer = await node.http('POST', '/v1/calls', key, { tool: 'log__add', args })
        tellOf({ tell }, answer)
        last = JSON.stringify(answer.body)
        return answer.body['status'] === 'executed'
      },
    )
  }
}

async function until(orElse: () => string, holds: () => Promise<boolean>): Promise<void> {
  const last = performance.now() + WAIT_MS
  while (!(await holds())) {
    if (performance.now() > last) throw new Error(orElse())
    await sleep(100)
  }
}
