import type { Caller } from '../contract/caller.ts'
import { Sha256 } from '../contract/ids.ts'
import { artifactSources } from '../sessions/label.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { grantedTools } from '../identity/granted-tools.ts'
import type { Artifacts } from '../ports/artifacts.ts'
import type { Tables } from '../ports/reads.ts'
import type { Reader } from '../sessions/enter-session.ts'
import { labelArtifact, type LabelArtifactPorts } from './label-artifact.ts'

export type ReadArtifactPorts = LabelArtifactPorts & { readonly artifacts: Artifacts }
export type ArtifactPorts = Pick<ReadArtifactPorts, 'artifacts'> & { readonly tables: Pick<Tables, 'list'> }
export type ArtifactPart = { readonly text: string; readonly size: number }

/** A part of an evicted output, for a session. */
export async function readArtifact(
  deps: ReadArtifactPorts,
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

/** A part of an artifact of the caller's user, if the caller's key grants the tool that returned it. */
export async function artifactPart(
  deps: ArtifactPorts,
  caller: Caller,
  digest: string,
  from: number,
  length: number,
): Promise<Result<ArtifactPart>> {
  const isVisible = Sha256.safeParse(digest).success && (await mayReadArtifact(deps, caller, digest))
  const read = isVisible ? await deps.artifacts.read(caller.user, digest, from, length) : undefined
  if (read === 'expired') return refuse('artifact.expired', { digest })
  return read === undefined ? refuse('artifact.unknown', { digest: digest.slice(0, 80) }) : ok(read)
}

/** The newest calls with the same output that are looked at. */
const MOST_CALLS = 50

/**
 * Artifacts belong to a user, whose agents may pass each other pointers. A key that is limited to tools reads the outputs of these tools.
 * What no single call returned, such as the output of an execution, may contain anything of its user's.
 */
async function mayReadArtifact({ tables }: ArtifactPorts, caller: Caller, digest: string): Promise<boolean> {
  if (caller.grant?.tools === undefined) return true
  const isGranted = grantedTools(caller)
  const where = { session: artifactSources(caller.user, digest) }
  const sources = await tables.list('labels', where, { limit: MOST_CALLS, newest_first: true })
  return sources.some(({ row: { source } }) => source.call !== undefined && isGranted(source.name ?? ''))
}
