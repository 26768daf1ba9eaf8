import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { resumedRow } from './park-run.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { visibleRun, viewOf, type ReadRunPorts, type RunView } from './read-run.ts'

export type ResumeRunPorts = Pick<ReadRunPorts, 'tables' | 'kinds'> & {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
}

/** An admin has fixed what made a run fail repeatedly: it continues where it stopped. */
export async function resumeRun(deps: ResumeRunPorts, caller: Caller, run_id: string): Promise<Result<RunView>> {
  if (caller.kind !== 'admin') return refuse('auth.forbidden', { needs: 'admin' })
  const held = await visibleRun(deps, caller, run_id)
  if (held === undefined) return refuse('run.unknown', { run_id })
  const { row, version } = held
  if (row.status !== 'faulted') return refuse('run.not_faulted', { run_id, status: row.status })
  const to = resumedRow(row)
  const recorded = await deps.ledger.commit([
    { kind: 'swap', table: 'runs', id: row.run_id, from: version, to },
    { kind: 'wake', run: row.run_id },
    {
      kind: 'audit',
      entry: {
        at: deps.clock(),
        type: 'run.resumed',
        actor: caller.id,
        trace: deps.ids.trace(),
        subject: { run: row.run_id },
        about: { kind: row.kind, faults: row.fault?.count ?? 0 },
      },
    },
  ])
  if (recorded === 'committed') return ok(viewOf(caller, to))
  return isUnrecorded(recorded) ? refuseUnrecorded(recorded) : refuse('run.not_faulted', { run_id })
}
