import { z } from 'zod'
import { listOf } from '../../kernel/contract/answers.ts'
import type { Caller, CallerKind } from '../../kernel/contract/caller.ts'
import { ADMINS, OVERSEERS } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import { DecisionsBody, HubKeysAnswer, NodeAnswer, NodeReport, NodeRequest, WordsAnswer } from './hub.ts'
import type { NodesSeen } from './nodes-seen.ts'
import { readNodes, type ReadNodesPorts } from './read-nodes.ts'
import { takeReport, type TakeReportPorts } from './take-report.ts'
import { takeRequest, type TakeRequestPorts } from './take-request.ts'
import { type Result, ok } from '../../kernel/contract/problems.ts'
import { refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { RotatePorts } from '../../kernel/identity/rotate-keys.ts'
import type { HubKeys } from './ports.ts'
import type { Ledger } from '../../kernel/ports/ledger.ts'
import type { Clock, Ids, Digest } from '../../kernel/ports/runtime.ts'
import { isSameCaller } from '../../kernel/contract/caller-identity.ts'
import { hubApprovalId } from './hub-ids.ts'
import type { Watch } from '../../kernel/changes/watch-rows.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import { nodeOf } from './node-name.ts'
import { isOfNode, signReply, type NodeApproval, type SignPorts } from './sign-reply.ts'
import { refuse } from './problems.ts'

type WaitForDecisionsPorts = SignPorts & {
  readonly tables: Tables
  readonly watch: Watch
  readonly digest: Digest
  readonly stopping: AbortSignal
  readonly after: (ms: number, callback: () => void) => () => void
}

/**
 * Which of its requests have been decided: immediately if any has, otherwise as soon as one is, or after `wait_s` with nothing.
 */
async function waitForDecisions(
  deps: WaitForDecisionsPorts,
  by: Caller,
  { approvals, wait_s }: { readonly approvals: readonly string[]; readonly wait_s: number },
): Promise<Result<readonly string[]>> {
  const node = nodeOf(by)
  if (!node.ok) return node
  const ids = approvals.map((approval_id) => hubApprovalId(deps.digest, node.value.key, approval_id))
  const moved = someMoved(deps, ids, wait_s * 1_000)
  try {
    for (;;) {
      const waiting = moved.next()
      const replies = await decidedOf(deps, by, ids)
      if (!replies.ok || replies.value.length > 0) return replies
      if ((await waiting) === 'over') return ok([])
    }
  } finally {
    moved.stop()
  }
}

async function decidedOf(
  deps: WaitForDecisionsPorts,
  node: Caller,
  ids: readonly string[],
): Promise<Result<readonly string[]>> {
  const replies: string[] = []
  for (const id of ids) {
    const row = (await deps.tables.row('approvals', id))?.row
    if (row === undefined || !isDecided(row, node, deps.clock())) continue
    const reply = await signReply(deps, row)
    if (!reply.ok) return reply
    if (reply.value !== undefined) replies.push(reply.value)
  }
  return ok(replies)
}

const isDecided = (row: Parameters<typeof isOfNode>[0], node: Caller, now: number): row is NodeApproval =>
  isOfNode(row) && isSameCaller(row.caller, node) && (row.state !== 'pending' || now >= row.expires_at)

/** Listens from the start, so that no change between two reads is missed. */
function someMoved(deps: WaitForDecisionsPorts, ids: readonly string[], wait_ms: number) {
  let isOver = wait_ms === 0 || deps.stopping.aborted
  let hasMoved = false
  let resolveNext: (() => void) | undefined
  const moved = () => {
    hasMoved = true
    resolveNext?.()
  }
  const end = () => {
    isOver = true
    resolveNext?.()
  }
  const stops = ids.map((id) => deps.watch.onRow('approvals', id, moved))
  const cancel = deps.after(wait_ms, end)
  deps.stopping.addEventListener('abort', end)
  return {
    async next(): Promise<'moved' | 'over'> {
      hasMoved = false
      if (!isOver) await new Promise<void>((resolve) => (resolveNext = resolve))
      return hasMoved ? 'moved' : 'over'
    },
    stop() {
      end()
      cancel()
      deps.stopping.removeEventListener('abort', end)
      for (const stop of stops) stop()
    },
  }
}

type HubKeyPorts = {
  readonly hubKeys: HubKeys
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly rotate: Pick<RotatePorts['rotate'], 'mayRotate'>
}

/** Public keys are not secret, but only known callers may ask. */
const READERS: readonly CallerKind[] = ['node', 'approver', 'reviewer', 'admin']

export const readHubKeys = ({ hubKeys }: HubKeyPorts, { kind }: Caller): Result<HubKeysAnswer> =>
  READERS.includes(kind) ? hubKeys.list() : refuse('auth.forbidden', { needs: READERS.join(', ') })

/** First a key is prepared, so that nodes can pin it; once activated, it signs. Each step is recorded before it is taken. */
async function changeHubKey(
  deps: HubKeyPorts,
  { kind, id }: Caller,
  step: 'prepare' | 'activate',
): Promise<Result<HubKeysAnswer>> {
  if (kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const listed = deps.hubKeys.list()
  if (!listed.ok) return listed
  if (step === 'activate' && !listed.value.keys.some(({ state }) => state === 'next')) return refuse('hub.no_next_key')
  const may = await deps.rotate.mayRotate()
  if (!may.ok) return may
  const entry = { at: deps.clock(), type: 'hub.key_changed' as const, actor: id, trace: deps.ids.trace(), subject: {} }
  const noted = await deps.ledger.commit([{ kind: 'audit', entry: { ...entry, about: { step } } }])
  if (noted !== 'committed') return refuseUnrecorded(noted)
  return step === 'prepare' ? deps.hubKeys.prepare() : deps.hubKeys.activate()
}

export type HubPorts = TakeRequestPorts &
  TakeReportPorts &
  WaitForDecisionsPorts &
  HubKeyPorts &
  Omit<ReadNodesPorts, 'seen'> & { readonly nodesSeen: NodesSeen }

const NODES = ['node'] as const
const RotateBody = z.strictObject({ step: z.enum(['prepare', 'activate']) })

/** Requests of nodes to their hub, and the list of nodes for people. */
export function endpoints(k: HubPorts): readonly Endpoint[] {
  const noted = (node: Caller) => k.nodesSeen.note(node)
  const words = (said: readonly string[]) => ({ words: said })
  return [
    endpoint({
      at: 'POST /v1/hub/requests',
      access: NODES,
      says: 'A node asks for a decision about a held call; the answer is signed',
      body: NodeRequest,
      answers: WordsAnswer,
      run: (node, { body }) => takeRequest(k, noted(node), body),
      shows: words,
    }),
    endpoint({
      at: 'POST /v1/hub/outcomes',
      access: NODES,
      says: 'A node reports how a call ended',
      body: NodeReport,
      answers: WordsAnswer,
      run: (node, { body }) => takeReport(k, noted(node), body),
      shows: words,
    }),
    endpoint({
      at: 'POST /v1/hub/decisions',
      access: NODES,
      says: 'The signed decisions about requests of this node; waits up to `wait_s` seconds for one',
      keeps_keys: true,
      body: DecisionsBody,
      answers: WordsAnswer,
      run: (node, { body }) => waitForDecisions(k, noted(node), body),
      shows: words,
    }),
    endpoint({
      at: 'GET /v1/hub/key',
      access: [...NODES, ...OVERSEERS],
      says: 'The public keys with which this hub signs',
      answers: HubKeysAnswer,
      run: (caller) => readHubKeys(k, caller),
    }),
    endpoint({
      at: 'POST /v1/hub/key',
      access: ADMINS,
      says: 'Prepare the next signing key of this hub, or activate it',
      body: RotateBody,
      answers: HubKeysAnswer,
      run: (caller, { body }) => changeHubKey(k, caller, body.step),
    }),
    endpoint({
      at: 'GET /v1/hub/nodes',
      access: OVERSEERS,
      says: 'The nodes of this hub, and how many of their calls wait for a decision',
      answers: listOf(NodeAnswer),
      run: (caller) => readNodes({ ...k, seen: k.nodesSeen }, caller),
      shows: (items) => ({ items }),
    }),
  ]
}
