import { setTimeout as sleep } from 'node:timers/promises'
import type { Node } from '../helpers/with-nodes.ts'
import type { ClientRecord } from './history.ts'
import { pick } from './random.ts'

export type Load = {
  readonly agent: string
  readonly approver: string
  readonly random: () => number
  /** Nodes that take requests now. */
  readonly nodes: () => readonly Node[]
  readonly record: (records: ClientRecord) => void
  readonly isOver: () => boolean
  /** Every call and every decision is sent to two nodes at once. */
  readonly isTwice: boolean
  /** What makes the arguments of each call larger. */
  readonly filler: string
}

const TRIES = 40
const AGAIN_MS = 250
type Answer = Awaited<ReturnType<Node['http']>>

/** The answer of any node. A client whose node died asks another one with the same key. */
async function ask(load: Load, send: (node: Node) => Promise<Answer>): Promise<Answer | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const nodes = load.nodes()
    try {
      if (nodes.length > 0) {
        const answer = await send(pick(load.random, nodes))
        if (answer.status < 500) return answer
        recordAnswer(load, answer)
      }
    } catch {
      // The node was killed before it answered.
    }
    await sleep(AGAIN_MS)
  }
  return undefined
}

const askTwice = (load: Load, send: (node: Node) => Promise<Answer>): Promise<readonly (Answer | undefined)[]> =>
  Promise.all(Array.from({ length: load.isTwice ? 2 : 1 }, () => ask(load, send)))

export function recordAnswer({ record }: Pick<Load, 'record'>, { body }: Answer, key?: string): void {
  const about = (body['about'] ?? body) as Record<string, unknown>
  const call_id = body['call_id'] ?? about['call_id']
  if (typeof call_id !== 'string') return
  const status = typeof body['status'] === 'string' ? body['status'] : 'refused'
  const more = { ...(key === undefined ? {} : { key }), ...(about['sent'] === 'no' ? { not_sent: true } : {}) }
  record({ is: 'call', call_id, status, ...more })
}

export async function makeCall(node: Node, key: string, idempotency_key: string, body: object): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${key}`,
    'idempotency-key': idempotency_key,
  }
  const answer = await fetch(`${node.url}/v1/calls`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

/** Makes calls until the time is over: some run at once, some are held and then decided on any node. */
export async function client(load: Load, name: string): Promise<number> {
  let made = 0
  for (let number = 0; !load.isOver(); number += 1) {
    const idempotency_key = `${name}-${number}`
    const tool = pick(load.random, ['log__add', 'log__add_again', 'log__ask_add', 'log__ask_add'])
    const ms = pick(load.random, [0, 0, 50, 300])
    // A separate session, so that earlier reads do not count.
    const thread = idempotency_key
    const args = { text: `${idempotency_key}${load.filler}`, ms }
    const [answer, other] = await askTwice(load, (node) =>
      makeCall(node, load.agent, idempotency_key, { tool, args, thread }),
    )
    if (other !== undefined) recordAnswer(load, other, idempotency_key)
    if (answer === undefined) continue
    if (answer.status >= 400 && answer.body['call_id'] === undefined) throw new Error(JSON.stringify(answer.body))
    made += 1
    recordAnswer(load, answer, idempotency_key)
    const { approval_id, call_id } = answer.body
    if (typeof approval_id !== 'string') continue
    await decide(load, approval_id)
    const ended = await ask(load, (node) => node.http('GET', `/v1/calls/${String(call_id)}?wait_ms=2000`, load.agent))
    if (ended !== undefined) recordAnswer(load, ended)
  }
  return made
}

/** One decision, sent until some node answers. */
export async function decide(load: Load, approval_id: string): Promise<void> {
  const path = `/v1/approvals/${approval_id}`
  const packet = await ask(load, (node) => node.http('GET', path, load.approver))
  if (packet?.status !== 200) return
  const { foldable } = packet.body
  const digest = String(packet.body['digest'])
  const says = load.random() < 0.2 ? 'deny' : 'approve'
  load.record({ is: 'decision', approval_id, says, digest, acknowledged: false })
  // The filler is a long text, which an approval has to say was unfolded.
  const unfolded = (foldable as readonly { readonly id: string }[]).map(({ id }) => id)
  const body = says === 'approve' ? { decision: 'approve', digest, unfolded } : { decision: 'deny' }
  const decided = await askTwice(load, (node) => node.http('POST', `${path}/decide`, load.approver, body))
  if (decided.some((answer) => answer?.status === 200))
    load.record({ is: 'decision', approval_id, says, digest, acknowledged: true })
}

/** A person settles a call whose outcome is unknown. */
export async function settle(load: Load, call_id: string): Promise<void> {
  const as = pick(load.random, ['retry', 'done', 'failed'] as const)
  const settled = await ask(load, (node) => node.http('POST', `/v1/calls/${call_id}/resume`, load.approver, { as }))
  if (settled?.status !== 200) return
  load.record({ is: 'settlement', call_id, as, acknowledged: true })
  const { retry } = settled.body
  if (retry !== undefined) await decide(load, (retry as { readonly approval_id: string }).approval_id)
}
