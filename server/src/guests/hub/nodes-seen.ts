import { callerIdentity, type CallerNames } from '../../kernel/contract/caller-identity.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'

/** When each node last sent something to this process. In memory: a running node sends again within minutes. */
export type NodesSeen = {
  /** `sent_at`: for a message that may be older than now. */
  note(node: Caller, sent_at?: number): Caller
  at(node: CallerNames): number | undefined
}

export function nodesSeen(clock: Clock): NodesSeen {
  const seen = new Map<string, number>()
  return {
    note(node, sent_at = Number.POSITIVE_INFINITY) {
      const key = callerIdentity(node)
      seen.set(key, Math.max(seen.get(key) ?? 0, Math.min(sent_at, clock())))
      return node
    },
    at: (node) => seen.get(callerIdentity(node)),
  }
}
