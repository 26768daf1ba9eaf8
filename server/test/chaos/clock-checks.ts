import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from '../helpers/with-nodes.ts'
import type { ChaosNodes } from './chaos-nodes.ts'
import type { Violation } from './history.ts'
import { until } from './node-checks.ts'
import { readReceipts } from './read-history.ts'
import { recordAnswer } from './soak-load.ts'

/** How long a request waits, in the part in which clocks jump. */
export const EXPIRES_S = 900
const TOKEN_S = 300
const PAST = EXPIRES_S + 60

export type ClockRig = {
  readonly nodes: ChaosNodes
  readonly both: readonly [Node, Node]
  /** Sets the clock of one node so many seconds ahead of the real one, or behind it. */
  readonly set: (which: 0 | 1, seconds: number) => void
  readonly found: Violation[]
}
type Answer = Awaited<ReturnType<Node['http']>>

/** A token, a request and a consent, each used after it has expired by the clock of the node that is asked. */
export async function checkExpiries(rig: ClockRig): Promise<void> {
  const [node] = rig.both
  const agent = await node.key('agent', 'ticker', 'uma')
  const user = await node.key('user', 'uma', 'uma')
  const approver = await node.key('approver', 'ada')
  await checkToken(rig, agent, user)
  await checkRequest(rig, agent, approver)
  await checkConsent(rig, approver)
}

async function hold({ nodes, both: [node] }: ClockRig, agent: string, text: string): Promise<Answer['body']> {
  const held = await node.http('POST', '/v1/calls', agent, { tool: 'log__ask_add', args: { text }, thread: 'clock' })
  recordAnswer({ record: (records) => nodes.records.push(records) }, held)
  if (held.body['status'] !== 'pending') throw new Error(JSON.stringify(held))
  return held.body
}

/** The answer must have this code; any other is a violation. */
function expectCode(rig: ClockRig, what: string, answer: Answer, code: string | undefined): void {
  const got = answer.status < 300 ? undefined : String(answer.body['code'])
  if (got !== code)
    rig.found.push({ kind: 'used_out_of_bounds', about: what, says: `answered ${got ?? 'yes'}, not ${code ?? 'yes'}` })
}

async function checkToken(rig: ClockRig, agent: string, user: string): Promise<void> {
  const {
    nodes,
    both: [node, other],
    set,
  } = rig
  const { approval_id: id, call_id } = await hold(rig, agent, 'by token')
  const path = `/v1/approvals/${String(id)}`
  const digest = String((await node.http('GET', path, user)).body['digest'])
  const { token } = (await node.http('POST', `${path}/token`, user)).body
  const redeem = (at: Node) => at.http('POST', `${path}/redeem`, user, { token, thread: 'clock', decision: 'approve' })
  set(0, TOKEN_S + 10)
  expectCode(rig, 'an expired token', await redeem(node), 'approval.expired')
  set(0, -60)
  expectCode(rig, 'a token that is not valid yet', await redeem(node), 'approval.expired')
  set(0, 0)
  nodes.records.push({ is: 'decision', approval_id: String(id), says: 'approve', digest, acknowledged: false })
  expectCode(rig, 'a valid token', await redeem(node), undefined)
  // The other node's clock is an hour behind; the token counts as used there too.
  set(1, -3_600)
  const again = await redeem(other)
  if (again.status < 300)
    rig.found.push({ kind: 'executed_twice', about: String(id), says: 'a token was redeemed twice' })
  set(1, 0)
  await until(
    () => 'the call that was approved by its token did not run',
    async () => (await node.http('GET', `/v1/calls/${String(call_id)}`, agent)).body['status'] === 'executed',
  )
}

/** A request that the gate has marked as expired stays expired, even after the clock is corrected. */
async function checkRequest(rig: ClockRig, agent: string, approver: string): Promise<void> {
  const {
    nodes,
    both: [node, other],
    set,
  } = rig
  const { approval_id } = await hold(rig, agent, 'expires')
  const path = `/v1/approvals/${String(approval_id)}`
  const digest = String((await node.http('GET', path, approver)).body['digest'])
  const decide = (at: Node) => at.http('POST', `${path}/decide`, approver, { decision: 'approve', digest })
  nodes.records.push({ is: 'decision', approval_id: String(approval_id), says: 'approve', digest, acknowledged: false })
  set(0, PAST)
  expectCode(rig, 'an expired request', await decide(node), 'approval.expired')
  set(0, 0)
  expectCode(rig, 'a request that was reported as expired', await decide(other), 'approval.expired')
  expectCode(rig, 'a request that was reported as expired', await decide(node), 'approval.expired')
}

async function checkConsent(rig: ClockRig, approver: string): Promise<void> {
  const {
    nodes,
    both: [node],
    set,
  } = rig
  const agent = await node.key('agent', 'permitted', 'uma')
  const terms = {
    actor: 'caller:agent:permitted',
    what: { tool: 'log__ask_add', args: [{ path: '/text', op: 'prefix', value: 'consent' }] },
  }
  const minted = await node.http('POST', '/v1/consents', approver, { ...terms, calls: 3, expires_in_s: EXPIRES_S })
  if (minted.status !== 201) throw new Error(JSON.stringify(minted))
  /** A node whose clock was just set sends nothing until it has renewed its lease. */
  const statusAt = async (at: Node, text: string): Promise<string> => {
    let last: Answer | undefined
    await until(
      () => `no answer to ${text}: ${JSON.stringify(last)}`,
      async () => {
        last = await at.http('POST', '/v1/calls', agent, { tool: 'log__ask_add', args: { text } })
        recordAnswer({ record: (records) => nodes.records.push(records) }, last)
        return last.status < 500
      },
    )
    return String(last?.body['status'])
  }
  const expectStatus = (what: string, got: string, wanted: string): void => {
    if (got === wanted) return
    rig.found.push({ kind: 'used_out_of_bounds', about: what, says: `the call is ${got}, not ${wanted}` })
  }
  expectStatus('a valid consent', await statusAt(node, 'consent 1'), 'executed')
  set(0, PAST)
  expectStatus('an expired consent', await statusAt(node, 'consent 2'), 'pending')
  set(0, 0)
}

const DOCUMENT = `apiVersion: gosuto/v1
metadata: { name: clock }
trust: { allowedRooms: ["!none:test"], allowedSenders: ["@nobody:test"] }
capabilities: [{ name: log, mcp: log, tool: add, allow: true }]
gateways: [{ name: bell, type: cron, config: { schedule: "SCHEDULE" } }]
workflow:
  protocols:
    - id: bell.v1
      trigger: { type: gateway.event }
      steps: [{ type: tool, tool: log__add, argsTemplate: { text: "rings {{input.ts}}" } }]
`

/**
 * A schedule while clocks jump by a few seconds. Each scheduled time is one call; two calls for one time would have the same
 * arguments, which the checker finds.
 */
export async function wakeTwice({ nodes, both: [node], set }: ClockRig): Promise<number> {
  const file = join(node.folder, 'clock.yaml')
  const apply = async (schedule: string): Promise<void> => {
    writeFileSync(file, DOCUMENT.replace('SCHEDULE', schedule))
    const { code, out, err } = await node.cli('workflow', 'apply', file)
    if (code !== 0) throw new Error(`${out} ${err}`)
  }
  const rings = () => readReceipts(nodes.log).filter(({ args }) => JSON.stringify(args).includes('rings')).length
  const more = async (count: number): Promise<void> => {
    const wanted = rings() + count
    await until(
      () => `the schedule stopped at ${rings()} times`,
      () => Promise.resolve(rings() >= wanted),
    )
  }
  await apply('@every 1s')
  await more(2)
  for (const [which, seconds] of [
    [0, -5],
    [1, -5],
    [0, 3],
    [1, 0],
    [0, 0],
    [1, 4],
    [0, -3],
  ] as const) {
    set(which, seconds)
    await more(1)
  }
  await apply('@every 24h')
  return rings()
}
