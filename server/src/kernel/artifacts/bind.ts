import type { Result } from '../contract/problems.ts'
import { grepArtifact, type ArtifactHits, type ArtifactQuery, type GrepDeps } from './grep-artifact.ts'
import type { Reader } from '../sessions/enter-session.ts'
import { readArtifact } from './read-artifact.ts'

export interface ArtifactsGate {
  read(reader: Reader, digest: string, from: number, length: number): Promise<Result<{ text: string; size: number }>>
  grep(reader: Reader, digest: string, query: ArtifactQuery): Promise<Result<ArtifactHits>>
}

export const bindArtifacts = (deps: GrepDeps): ArtifactsGate => ({
  read: (reader, digest, from, length) => readArtifact(deps, reader, digest, from, length),
  grep: (reader, digest, query) => grepArtifact(deps, reader, digest, query),
})
