import type { Caller } from '../../contract/caller.ts'
import { Sha256 } from '../../contract/ids.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { Reader } from '../provenance/enter-session.ts'
import { labelArtifact, type LabelArtifactDeps } from './label-artifact.ts'

export type ReadArtifactDeps = LabelArtifactDeps & { readonly artifacts: Artifacts }
export type ArtifactPart = { readonly text: string; readonly size: number }

/** A part of an evicted output, for a session. */
export async function readArtifact(
  deps: ReadArtifactDeps,
  reader: Reader,
  digest: string,
  from: number,
  length: number,
): Promise<Result<ArtifactPart>> {
  const part = await artifactPart(deps, reader.caller, digest, from, length)
  if (!part.ok) return part
  const labelled = await labelArtifact(deps, reader, digest)
  return labelled.ok ? part : labelled
}

/** Artifacts belong to the user in whose name the call was made. */
export async function artifactPart(
  deps: Pick<ReadArtifactDeps, 'artifacts'>,
  caller: Caller,
  digest: string,
  from: number,
  length: number,
): Promise<Result<ArtifactPart>> {
  const read = Sha256.safeParse(digest).success
    ? await deps.artifacts.read(caller.user, digest, from, length)
    : undefined
  if (read === 'expired') return refuse('artifact.expired', { digest })
  return read === undefined ? refuse('artifact.unknown', { digest: digest.slice(0, 80) }) : ok(read)
}
