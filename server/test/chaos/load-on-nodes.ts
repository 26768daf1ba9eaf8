import { setTimeout as sleep } from 'node:timers/promises'
import type { Node } from '../helpers/with-nodes.ts'
import type { ChaosNodes } from './chaos-nodes.ts'
import type { History, ClientRecord } from './history.ts'
import { seeded } from './random.ts'
import { client, decide, settle, type Load } from './soak-load.ts'

const QUIET_MS = 120_000

export type LoadOnNodes = {
  readonly load: Load
  /** Nodes that clients send requests to. */
  readonly alive: Set<Node>
  /** Stops the clients, decides and settles what is open, and reports what was done. */
  finish(): Promise<string>
}

export type LoadSetup = {
  readonly seed: number
  readonly clients: number
  readonly isTwice?: boolean
  /** Characters that make each call's arguments larger. */
  readonly filler?: number
}

/** A number of clients that call, decide and wait until `finish`. */
export async function loadNodes(
  nodes: ChaosNodes,
  on: readonly [Node, ...Node[]],
  setup: LoadSetup,
): Promise<LoadOnNodes> {
  const alive = new Set<Node>(on)
  const { load, end } = await beginLoad(on[0], () => [...alive], nodes.records, setup)
  return {
    load,
    alive,
    async finish() {
      const made = await end()
      const rounds = await becomeQuiet(nodes, load)
      const settled = nodes.records.filter(({ is }) => is === 'settlement').length
      return `${made} calls by ${setup.clients} clients, ${settled} settled by a person, nothing was open after ${rounds} checks`
    },
  }
}

/** Clients of whichever nodes there are. `end` resolves with the number of calls that were answered. */
export async function beginLoad(
  first: Node,
  nodes: () => readonly Node[],
  records: ClientRecord[],
  setup: LoadSetup,
): Promise<{ readonly load: Load; end(): Promise<number> }> {
  let isOver = false
  const load: Load = {
    agent: await first.key('agent', 'a', 'ana'),
    approver: await first.key('approver', 'bob'),
    random: seeded(setup.seed),
    nodes,
    record: (one) => void records.push(one),
    isOver: () => isOver,
    isTwice: setup.isTwice === true,
    filler: 'x'.repeat(setup.filler ?? 0),
  }
  const working = Promise.all(Array.from({ length: setup.clients }, (_, index) => client(load, `c${index}`)))
  // A client that fails is reported by `end`, also if that is called much later.
  working.catch(() => undefined)
  return {
    load,
    async end() {
      isOver = true
      return (await working).reduce((sum, count) => sum + count, 0)
    },
  }
}

/** Everything that is open is decided or settled. What is still open after that is a violation. */
async function becomeQuiet(nodes: ChaosNodes, load: Load): Promise<number> {
  const until = performance.now() + QUIET_MS
  for (let rounds = 1; ; rounds += 1) {
    if (!(await endOpen(await nodes.history(), load)) || performance.now() > until) return rounds
    await sleep(500)
  }
}

/** Decides and settles what is open in a history. False when nothing was. */
export async function endOpen({ calls, approvals, runs }: History, load: Load): Promise<boolean> {
  const pending = approvals.filter(({ state }) => state === 'pending')
  const unknown = calls.filter(({ state, settled }) => state === 'unknown' && settled === undefined)
  for (const { approval_id } of pending) await decide(load, approval_id)
  for (const { call_id } of unknown) await settle(load, call_id)
  const isOpen = calls.some(({ state }) => state === 'executing' || state === 'pending' || state === 'unknown')
  return isOpen || pending.length > 0 || runs.some(({ status }) => status === 'active')
}
