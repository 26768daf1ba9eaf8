import { isSameCaller } from '../../kernel/contract/caller-identity.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { hubApprovalId } from './hub-ids.ts'
import type { Watch } from '../../kernel/changes/watch-rows.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { Digest } from '../../kernel/ports/runtime.ts'
import { nodeOf } from './node-name.ts'
import { isOfNode, signReply, type NodeApproval, type SignDeps } from './sign-reply.ts'

export type WaitForDecisionsDeps = SignDeps & {
  readonly tables: Tables
  readonly watch: Watch
  readonly digest: Digest
  readonly stopping: AbortSignal
  readonly after: (ms: number, callback: () => void) => () => void
}

/**
 * Which of its requests have been decided: immediately if any has, otherwise as soon as one is, or after `wait_s` with nothing.
 */
export async function waitForDecisions(
  deps: WaitForDecisionsDeps,
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
  deps: WaitForDecisionsDeps,
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
function someMoved(deps: WaitForDecisionsDeps, ids: readonly string[], wait_ms: number) {
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
