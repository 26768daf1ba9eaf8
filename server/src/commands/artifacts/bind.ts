import type { Caller } from '../../contract/caller.ts'
import type { Result } from '../../contract/problems.ts'
import { grepArtifact, type ArtifactHits, type ArtifactQuery, type GrepDeps } from './grep-artifact.ts'
import { readArtifact, type ReadArtifactDeps } from './read-artifact.ts'

export type ArtifactsWorld = ReadArtifactDeps & GrepDeps

export interface ArtifactsGate {
  read(caller: Caller, digest: string, from: number, length: number): Promise<Result<{ text: string; size: number }>>
  grep(caller: Caller, digest: string, query: ArtifactQuery): Promise<Result<ArtifactHits>>
}

export const bindArtifacts = (world: ArtifactsWorld): ArtifactsGate => ({
  read: (caller, digest, from, length) => readArtifact(world, caller, digest, from, length),
  grep: (caller, digest, query) => grepArtifact(world, caller, digest, query),
})
