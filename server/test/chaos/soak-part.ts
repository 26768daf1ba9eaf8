import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Node } from '../postgres/with-nodes.ts'
import { openChaosNodes, type ChaosNodes } from './chaos-nodes.ts'
import { pick, seeded } from './random.ts'
import type { PartReport } from './report.ts'
import { client, decide, settle, type Load } from './soak-load.ts'

const NODES = 3
const CLIENTS = 16
const QUIET_MS = 120_000

/** Three nodes on one database under load; one of them at a time is killed and another one started. */
export async function soakPart(setup: {
  readonly seed: number
  readonly seconds: number
  readonly hasPostgres: boolean
}): Promise<PartReport> {
  const part = `soak, ${setup.seconds} s, three nodes, random kills of one`
  if (!setup.hasPostgres)
    return { part, faults: {}, checks: {}, violations: [], notes: ['SKIPPED: there is no Postgres'] }
  const nodes = await openChaosNodes()
  const random = seeded(setup.seed)
  let kills = 0
  try {
    const alive = new Set<Node>()
    for (let count = 0; count < NODES; count += 1) alive.add(await nodes.start())
    const [first] = alive
    if (first === undefined) throw new Error('no node')
    const agent = await first.key('agent', 'a', 'ana')
    const approver = await first.key('approver', 'bob')
    const over = performance.now() + setup.seconds * 1000
    const isOver = () => performance.now() > over
    const tell: Load['tell'] = (told) => void nodes.told.push(told)
    const load: Load = { agent, approver, random, nodes: () => [...alive], tell, isOver }
    const clients = Array.from({ length: CLIENTS }, (_, index) => client(load, `c${index}`))
    while (!isOver()) {
      await sleep(2_000 + random() * 4_000)
      if (isOver()) break
      const killed = pick(random, [...alive])
      alive.delete(killed)
      const ended = once(killed.process, 'exit')
      killed.process.kill('SIGKILL')
      kills += 1
      await ended
      nodes.gone(killed)
      alive.add(await nodes.start())
    }
    const made = (await Promise.all(clients)).reduce((sum, count) => sum + count, 0)
    const rounds = await becomeQuiet(nodes, load)
    const { checks, violations } = await nodes.check()
    const unknown = nodes.told.filter(({ is }) => is === 'settlement').length
    const notes = [`${made} calls by ${CLIENTS} clients, ${unknown} settled by a person, quiet after ${rounds} looks`]
    return { part, faults: { 'SIGKILL of a node': kills }, checks, violations, notes }
  } finally {
    await nodes.stop()
  }
}

/** Everything that is open is decided or settled. What is still open after that is a violation. */
async function becomeQuiet(nodes: ChaosNodes, load: Load): Promise<number> {
  const until = performance.now() + QUIET_MS
  for (let rounds = 1; ; rounds += 1) {
    const { calls, approvals, runs } = await nodes.history()
    const pending = approvals.filter(({ state }) => state === 'pending')
    const unknown = calls.filter(({ state, settled }) => state === 'unknown' && settled === undefined)
    for (const { approval_id } of pending) await decide(load, approval_id)
    for (const { call_id } of unknown) await settle(load, call_id)
    const isOpen = calls.some(({ state }) => state === 'executing' || state === 'pending' || state === 'unknown')
    if (!isOpen && pending.length === 0 && !runs.some(({ status }) => status === 'active')) return rounds
    if (performance.now() > until) return rounds
    await sleep(500)
  }
}
