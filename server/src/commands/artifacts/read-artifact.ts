import type { Caller } from '../../contract/caller.ts'
import { Sha256 } from '../../contract/ids.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import type { Artifacts } from '../ports/artifacts.ts'

export type ReadArtifactDeps = { readonly artifacts: Artifacts }

/** A part of an evicted output. Artifacts belong to the user in whose name the call was made. */
export async function readArtifact(
  deps: ReadArtifactDeps,
  caller: Caller,
  digest: string,
  from: number,
  length: number,
): Promise<Result<{ text: string; size: number }>> {
  const read = Sha256.safeParse(digest).success
    ? await deps.artifacts.read(caller.user, digest, from, length)
    : undefined
  if (read === 'expired') return refuse('artifact.expired', { digest })
  return read === undefined ? refuse('artifact.unknown', { digest: digest.slice(0, 80) }) : ok(read)
}
