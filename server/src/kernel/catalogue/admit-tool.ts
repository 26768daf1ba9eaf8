import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { ToolRow } from '../contract/tool.ts'
import type { LiveCatalogue } from './catalogue.ts'
import type { PasskeyPorts } from '../identity/passkeys.ts'
import { isLostToProof, provePerson, type ProvenPerson, type ShownProof } from '../identity/prove-person.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'

const TRIES = 8

export type AdmitPorts = {
  readonly ledger: Ledger
  readonly tables: Tables
  readonly clock: Clock
  readonly ids: Pick<Ids, 'trace'>
  readonly catalogue: Pick<LiveCatalogue, 'refresh'>
} & PasskeyPorts

/**
 * An operator admits one exact definition, with proof that it is them.
 * INVARIANT: only the named hash is admitted; a definition that changed since it was read is rejected.
 */
export async function admitTool(
  deps: AdmitPorts,
  caller: Caller,
  tool_id: string,
  hash: string,
  shown: ShownProof,
): Promise<Result<ToolRow>> {
  if (caller.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  let proven: ProvenPerson | undefined
  for (let tries = 0; tries < TRIES; tries += 1) {
    const held = await deps.tables.row('tools', tool_id)
    if (held === undefined) return refuse('tool.unknown', { tool: tool_id })
    const { row, version } = held
    if (row.gone_at !== undefined) return refuse('tool.gone', { tool: tool_id })
    if (row.definition_hash !== hash)
      return refuse('tool.hash_differs', { tool: tool_id, named: hash, present: row.definition_hash })
    if (row.admitted?.hash === hash) return ok(row)
    if (proven === undefined) {
      const given = await provePerson(deps, caller, shown)
      if (!given.ok) return given
      proven = given.value
    }
    const at = deps.clock()
    const to: ToolRow = { ...row, admitted: { hash, definition: row.definition, at, by: caller.id } }
    const changes: Change[] = [
      ...proven.changes,
      { kind: 'swap', table: 'tools', id: tool_id, from: version, to },
      {
        kind: 'audit',
        entry: {
          at,
          type: 'tool.admitted',
          actor: caller.id,
          trace: deps.ids.trace(),
          subject: { server: row.server, tool: tool_id },
          about: { definition_hash: hash, admitted_before: row.admitted?.hash ?? null },
        },
      },
    ]
    const committed = await deps.ledger.commit(changes)
    if (isLostToProof(proven, changes, committed)) return refuse('request.replayed')
    if (isUnrecorded(committed)) return refuseUnrecorded(committed, { tool: tool_id })
    if (committed !== 'committed') continue
    await deps.catalogue.refresh(row.server, [tool_id])
    return ok(to)
  }
  return refuse('audit.unavailable', { tool: tool_id })
}
