import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { dyingWords } from '../../../../test/crash/dying.ts'
import { runGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'
import { BOOK_TOOLS, effectsIn, until } from '../../../../test/helpers/with-gate.ts'
import { startProxy, type Between } from './tampering-proxy.suite.ts'

export type Gate = RunningGate & { stop(): Promise<void> }

/** A gate in this folder, which dies when it reaches the point for the nth time. */
function startDying(folder: string, at: string, nth: number): Promise<Gate> {
  const script = resolve(import.meta.dirname, '../../../../test/crash/dying-up.ts')
  const [launcher, ...words] = dyingWords(script, { at, nth }, undefined)
  return runGate(folder, words, launcher)
}

export type Pair = {
  hub: Gate
  node: Gate
  readonly between: Between
  readonly approver: string
  readonly agent: string
  /** An admin of the node. */
  readonly overseer: string
  readonly hubFolder: string
  readonly nodeFolder: string
  /** What the node's tool server really did. */
  readonly effects: () => readonly string[]
  startHub(point?: string, nth?: number): Promise<void>
  startNode(point?: string, nth?: number): Promise<void>
  /** A held call of the node. */
  hold(text: string): Promise<Held>
  /** The request in the hub's inbox, once it is there. */
  atHub(text: string): Promise<Packet>
  /** Waits until the node's call has this status and returns it. */
  becomes(call_id: string, status: string): Promise<Record<string, unknown>>
  audit(gate: Gate, type: string): Promise<readonly Entry[]>
  close(): Promise<void>
}
export type Held = { readonly call_id: string; readonly approval_id: string }
export type Packet = Record<string, unknown> & { readonly approval_id: string; readonly digest: string }
export type Entry = {
  readonly type: string
  readonly subject: Record<string, string>
  readonly about?: Record<string, unknown>
}

const place = (name: string) => mkdtempSync(join(tmpdir(), `sluice-${name}-`))

/** A hub and a node as separate processes, with a proxy between them. `started`: a running gate to use as the hub. */
export async function openPair(
  more: { hub?: object; node?: object; section?: object; tools?: object; started?: Gate } = {},
): Promise<Pair> {
  const [hubFolder, nodeFolder] = [place('hub'), place('node')]
  writeFileSync(join(hubFolder, 'sluice.yaml'), JSON.stringify({ listen: { port: 0 }, ...more.hub }))
  const hub = more.started ?? (await runGate(hubFolder))
  const key = await hub.key('node', 'edge-1')
  const approver = await hub.key('approver', 'bob')
  writeFileSync(join(nodeFolder, 'node.key'), key)
  const keys = await hub.http('GET', '/v1/hub/key', approver)
  const [{ public_key } = { public_key: '' }] = keys.body['keys'] as { public_key: string }[]
  const between = await startProxy(hub.url)
  const book = {
    command: 'node',
    args: [resolve(import.meta.dirname, '../../../../test/tool-servers/effects.ts')],
    env: { EFFECTS: join(nodeFolder, 'effects.txt') },
    tools: { ...BOOK_TOOLS, ...more.tools },
  }
  const section = { url: between.url, node: 'edge-1', key: 'file:node.key', public_keys: [public_key], ...more.section }
  const config = { listen: { port: 0 }, servers: { book }, hub: section, ...more.node }
  writeFileSync(join(nodeFolder, 'sluice.yaml'), JSON.stringify(config))
  const node = await runGate(nodeFolder)
  const agent = await node.key('agent', 'writer', 'ana')
  const overseer = await node.key('admin', 'boss')
  const pair: Pair = {
    hub,
    node,
    between,
    approver,
    overseer,
    agent,
    hubFolder,
    nodeFolder,
    effects: () => effectsIn(nodeFolder),
    async startHub(point, nth = 1) {
      pair.hub = await (point === undefined ? runGate(hubFolder) : startDying(hubFolder, point, nth))
      between.lead(pair.hub.url)
    },
    async startNode(point, nth = 1) {
      pair.node = await (point === undefined ? runGate(nodeFolder) : startDying(nodeFolder, point, nth))
    },
    async hold(text) {
      const held = await pair.node.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text } })
      if (held.body['status'] !== 'pending') throw new Error(`not held: ${JSON.stringify(held)}`)
      return held.body as Held
    },
    async atHub(text) {
      let found: Packet | undefined
      await until(async () => {
        const { body } = await pair.hub.http('GET', '/v1/approvals', approver)
        found = (body['items'] as Packet[]).find((packet) => String(packet['proposed_args']).includes(text))
        return found !== undefined
      })
      return found as Packet
    },
    async becomes(call_id, status) {
      let last: Record<string, unknown> = {}
      await until(async () => {
        const path = `/v1/calls/${call_id}`
        last = await pair.node.http('GET', path, agent).then(
          ({ body }) => body,
          () => ({}),
        )
        return statusOf(last) === status
      })
      return last
    },
    async audit(gate, type) {
      const key = gate === pair.hub ? approver : overseer
      const { body } = await gate.http('GET', '/v1/audit?last=1000', key)
      return (body['items'] as Entry[]).filter((entry) => entry.type === type)
    },
    async close() {
      await Promise.all([pair.hub.stop(), pair.node.stop()])
      await between.close()
    },
  }
  return pair
}

/** A refused or failed call is answered with a problem. */
const statusOf = (body: Record<string, unknown>): unknown => body['code'] ?? body['status']

export const died = async (gate: Gate): Promise<void> => {
  const { process: child } = gate
  if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('exit', done))
}
export const kill = async (gate: Gate): Promise<void> => {
  gate.process.kill('SIGKILL')
  await died(gate)
}
