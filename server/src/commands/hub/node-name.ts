import type { Caller } from '../../contract/caller.ts'
import { NodeName } from '../../contract/hub.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'

/** A node is identified by its key alone, whatever its messages say. */
export function nodeNameOf({ kind, id }: Caller): Result<string> {
  const name = NodeName.safeParse(id.slice('node:'.length))
  return kind === 'node' && id.startsWith('node:') && name.success
    ? ok(name.data)
    : refuse('auth.forbidden', { needs: 'node' })
}
