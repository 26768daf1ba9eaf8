import type { Caller } from '../../contract/caller.ts'
import type { Clock } from '../ports/runtime.ts'

/** When each node last asked this process for something. In memory: a live node asks again within half a minute. */
export type NodesSeen = { note(node: Caller): Caller; at(id: string): number | undefined }

export function nodesSeen(clock: Clock): NodesSeen {
  const seen = new Map<string, number>()
  return {
    note(node) {
      seen.set(node.id, clock())
      return node
    },
    at: (id) => seen.get(id),
  }
}
