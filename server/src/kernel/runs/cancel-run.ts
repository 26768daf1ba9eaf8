import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { isEndedRun } from '../contract/run.ts'
import { isUnrecorded, refuseUnrecorded } from '../changes/unrecorded.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import { visibleRun, viewOf, type ReadRunPorts, type RunView } from './read-run.ts'
import { addRunEvent } from './run-changes.ts'
import type { Judgement } from '../decide/judging.ts'

export type CancelRunPorts = Pick<ReadRunPorts, 'tables' | 'kinds'> & {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly judgement: Pick<Judgement, 'scanner'>
}

/** How long the gate remembers that a run was asked to stop. */
const REMEMBERED_MS = 90 * 86_400_000

/**
 * Asks a run to stop. Its kind decides how: a call that waits for a person is withdrawn, one that executes is waited for. Anybody
 * who may see a run may cancel it. A second request changes nothing.
 */
export async function cancelRun(
  deps: CancelRunPorts,
  caller: Caller,
  run_id: string,
  reason?: string,
): Promise<Result<RunView>> {
  const held = await visibleRun(deps, caller, run_id)
  if (held === undefined) return refuse('run.unknown', { run_id })
  const { row } = held
  if (isEndedRun(row)) return refuse('run.ended', { run_id, status: row.status })
  const now = deps.clock()
  const why = reason === undefined ? {} : { reason: await deps.judgement.scanner.redact(reason, 'shown') }
  const recorded = await deps.ledger.commit([
    { kind: 'once', key: `run.cancel ${row.run_id}`, until: now + REMEMBERED_MS },
    ...addRunEvent(row.run_id, { type: 'run.cancel', by: caller.id, ...why }),
    {
      kind: 'audit',
      entry: {
        at: now,
        type: 'run.cancel_requested',
        actor: caller.id,
        trace: deps.ids.trace(),
        subject: { run: row.run_id },
        about: { kind: row.kind },
      },
    },
  ])
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  const after = await visibleRun(deps, caller, run_id)
  return after === undefined ? refuse('run.unknown', { run_id }) : ok(viewOf(caller, after.row))
}
