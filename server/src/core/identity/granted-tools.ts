import type { Caller } from '../../contract/caller.ts'
import { matchesGlob, parseGlob } from '../gate/policy/glob.ts'

/** Which tools exist for a caller as far as their key goes; for a key without such a limit all of them. */
export function grantedTools({ grant }: Pick<Caller, 'grant'>): (tool_id: string) => boolean {
  if (grant?.tools === undefined) return () => true
  const globs = grant.tools.map(parseGlob)
  return (tool_id) => globs.some((glob) => matchesGlob(glob, tool_id))
}
