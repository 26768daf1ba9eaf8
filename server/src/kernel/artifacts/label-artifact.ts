import { artifactSources, labelSession, type LabelRow, type LabelSource } from '../sessions/label.ts'
import { ok, type Result } from '../contract/problems.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import { idleSession } from '../identity/idle-session.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock, Digest } from '../ports/runtime.ts'
import type { Reader } from '../sessions/enter-session.ts'
import type { Sessions } from '../ports/sessions.ts'

export type LabelArtifactPorts = {
  readonly tables: Pick<Tables, 'row' | 'list'>
  readonly ledger: Ledger
  readonly sessions: Pick<Sessions, 'note'>
  readonly digest: Digest
  readonly clock: Clock
}

/** How many calls with the same output are checked. If there are more, the text also counts as one of unknown origin. */
const MOST_SOURCES = 200

/**
 * Adds a stored output to the session of its reader, before the reader gets it, with the labels that it has in the session of its
 * call. The whole text is added, whichever part was read: an instruction could span the edge of a page.
 */
export async function labelArtifact(
  deps: LabelArtifactPorts,
  { caller, thread: named }: Reader,
  artifact: string,
): Promise<Result<void>> {
  const thread = named === undefined ? await idleSession(deps, caller) : ok(named)
  if (!thread.ok) return thread
  const session = labelSession(caller, thread.value)
  const where = { session: artifactSources(caller.user, artifact) }
  const labels = await deps.tables.list('labels', where, { limit: MOST_SOURCES, newest_first: true })
  if (labels.some(({ row }) => row.first_session === session)) return ok(undefined)
  for (const source of distinctSources(labels.map(({ row }) => row.source))) {
    const label_id = `${deps.digest(JSON.stringify([session, artifact, source.server, source.name]))}.artifact`
    if ((await deps.tables.row('labels', label_id)) !== undefined) continue
    const to: LabelRow = {
      v: 1,
      label_id,
      session,
      at: deps.clock(),
      kind: 'output',
      source: { ...source, artifact },
    }
    const kept = await deps.ledger.commit([{ kind: 'swap', table: 'labels', id: label_id, from: 'absent', to }])
    // A concurrent reader may have added it.
    if (isUnrecorded(kept)) return refuseUnrecorded(kept)
  }
  deps.sessions.note(caller, thread.value)
  return ok(undefined)
}

/** One per tool. An artifact without a known call has an unknown origin. */
function distinctSources(sources: readonly LabelSource[]): readonly LabelSource[] {
  const found = new Map(sources.map((source) => [source.name, source]))
  return sources.length === 0 || sources.length >= MOST_SOURCES ? [...found.values(), {}] : [...found.values()]
}
