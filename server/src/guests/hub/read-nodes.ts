import { callerIdentity, type CallerNames } from '../../kernel/contract/caller-identity.ts'
import type { Caller, CallerKind } from '../../kernel/contract/caller.ts'
import type { NodeAnswer } from './hub.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { NodeRoom } from './ports.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import { isOfNode } from './sign-reply.ts'
import type { NodesSeen } from './nodes-seen.ts'

export type ReadNodesPorts = {
  readonly tables: Tables
  readonly clock: Clock
  readonly seen: NodesSeen
  readonly nodeRoom: Pick<NodeRoom, 'nodes'> | undefined
}

const OVERSEERS: readonly CallerKind[] = ['approver', 'reviewer', 'admin']
const PAGE = 500

/** The nodes of this hub: every caller with a key of kind `node`, and how many of their requests wait for a person. */
export async function readNodes(deps: ReadNodesPorts, { kind }: Caller): Promise<Result<readonly NodeAnswer[]>> {
  if (!OVERSEERS.includes(kind)) return refuse('auth.forbidden', { needs: OVERSEERS.join(', ') })
  const pending = await pendingByNode(deps)
  const now = deps.clock()
  const nodes = new Map<string, NodeAnswer>()
  const add = (node: CallerNames, isGood: boolean) => {
    const key = callerIdentity(node)
    const seen_at = deps.seen.at(node)
    nodes.set(key, {
      node: node.id.slice('node:'.length),
      user: node.user,
      state: isGood || nodes.get(key)?.state === 'enrolled' ? 'enrolled' : 'revoked',
      pending: pending.get(key) ?? 0,
      ...(seen_at === undefined ? {} : { seen_at }),
    })
  }
  for (const { row } of await deps.tables.list('credentials', {}, { limit: PAGE }))
    if (row.caller.kind === 'node') add(row.caller, row.revoked_at === undefined && (row.expires_at ?? Infinity) > now)
  for (const node of deps.nodeRoom?.nodes.values() ?? []) add(node, true)
  return ok([...nodes.values()].toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1)))
}

const nameOf = ({ node, user }: NodeAnswer) => `${node} ${user}`

async function pendingByNode({ tables }: ReadNodesPorts): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  let after: number | undefined
  for (;;) {
    const page = await tables.list(
      'approvals',
      { state: 'pending' },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    )
    for (const { row } of page)
      if (isOfNode(row)) {
        const key = callerIdentity(row.caller)
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
    after = page.at(-1)?.cursor
    if (page.length < PAGE) return counts
  }
}
