import type { Caller, CallerKind } from '../../contract/caller.ts'
import type { NodeAnswer } from '../../contract/hub.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import type { NodeRoom } from '../ports/hub.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock } from '../ports/runtime.ts'
import { isOfNode } from './sign-reply.ts'
import type { NodesSeen } from './nodes-seen.ts'

export type ReadNodesDeps = {
  readonly tables: Tables
  readonly clock: Clock
  readonly seen: NodesSeen
  readonly nodeRoom: Pick<NodeRoom, 'nodes'> | undefined
}

const OVERSEERS: readonly CallerKind[] = ['approver', 'reviewer', 'admin']
const PAGE = 500

/** The nodes of this hub: everybody with a key of kind `node`, and how many of their requests wait for a person. */
export async function readNodes(deps: ReadNodesDeps, { kind }: Caller): Promise<Result<readonly NodeAnswer[]>> {
  if (!OVERSEERS.includes(kind)) return refuse('auth.forbidden', { needs: OVERSEERS.join(', ') })
  const pending = await pendingByNode(deps)
  const now = deps.clock()
  const nodes = new Map<string, NodeAnswer>()
  for (const { row } of await deps.tables.list('credentials', {}, { limit: PAGE })) {
    if (row.caller.kind !== 'node') continue
    const node = row.caller.id.slice('node:'.length)
    const isGood = row.revoked_at === undefined && (row.expires_at ?? Infinity) > now
    const seen_at = deps.seen.at(row.caller.id)
    const known = nodes.get(node)
    nodes.set(node, {
      node,
      state: isGood || known?.state === 'enrolled' ? 'enrolled' : 'revoked',
      pending: pending.get(node) ?? 0,
      ...(seen_at === undefined ? {} : { seen_at }),
    })
  }
  for (const { id } of deps.nodeRoom?.nodes.values() ?? []) {
    const node = id.slice('node:'.length)
    const seen_at = deps.seen.at(id)
    const of = seen_at === undefined ? {} : { seen_at }
    nodes.set(node, { node, state: 'enrolled', pending: pending.get(node) ?? 0, ...of })
  }
  return ok([...nodes.values()].toSorted((one, other) => (one.node < other.node ? -1 : 1)))
}

async function pendingByNode({ tables }: ReadNodesDeps): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  let after: number | undefined
  for (;;) {
    const page = await tables.list(
      'approvals',
      { state: 'pending' },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    )
    for (const { row } of page)
      if (isOfNode(row)) counts.set(row.from_node.node, (counts.get(row.from_node.node) ?? 0) + 1)
    after = page.at(-1)?.cursor
    if (page.length < PAGE) return counts
  }
}
