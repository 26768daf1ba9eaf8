import type { Caller } from '../contract/caller.ts'
import { matchesGlob, parseGlob } from '../policy/glob.ts'

/** Which tools a caller's key grants; a key without this limit grants all. */
export function grantedTools({ grant }: Pick<Caller, 'grant'>): (tool_id: string) => boolean {
  if (grant?.tools === undefined) return () => true
  const globs = grant.tools.map(parseGlob)
  return (tool_id) => globs.some((glob) => matchesGlob(glob, tool_id))
}
