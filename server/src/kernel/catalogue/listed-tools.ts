import type { Listed } from '../policy/unlisted-tools.ts'
import { nearestId, serverIn } from '../text/nearest-tool.ts'

/** More suggestions are not made: each compares many names, and a tool server decides how many there are. */
const MOST_SUGGESTED = 3

export function listedTools(ids: readonly string[]): Listed {
  const known = new Set(ids)
  let suggested = 0
  return {
    has: (id) => known.has(id),
    servers: new Set(ids.map(serverIn)),
    meantBy(id) {
      suggested += 1
      return suggested > MOST_SUGGESTED ? undefined : nearestId(id, ids)
    },
  }
}
