import { PROGRAM_KINDS, type Caller, flowRoleOf } from '../../kernel/contract/caller.ts'
import type { FlowRunRow } from './flow-rows.ts'
import type { FlowStep } from './flows.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { actorHash } from './actor-hash.ts'

/** Whether a run was started by this person or by one of their programs. */
export const isRunOf = (
  digest: (text: string) => string,
  { user }: Pick<Caller, 'user'>,
  { provenance }: Pick<FlowRunRow, 'provenance'>,
): boolean => provenance.actor === actorHash(digest, { user })

/**
 * Who changes a run: its person, their programs, and whoever has a flow role for its scope. To see a run is not enough.
 * INVARIANT: without a flow role, no caller changes a run of another user.
 */
export function mayChangeRun(
  digest: (text: string) => string,
  caller: Caller,
  run: Pick<FlowRunRow, 'provenance' | 'scope' | 'run_id'>,
): Result<void> {
  const role = flowRoleOf(caller)
  const isByRole = role === 'admin' || (role === 'editor' && run.scope !== 'personal')
  if (isByRole || isRunOf(digest, caller, run)) return ok(undefined)
  const needed = run.scope === 'personal' ? 'admin' : 'editor or admin'
  return refuse('auth.forbidden', { needs: `the person of the run, or the flow role ${needed}` })
}

/** A manual step is for people. Programs work only on the others, whatever their role. */
export function mayWorkOnStep({ kind }: Caller, { automatable, step_id }: FlowStep): Result<void> {
  const isForPeople = automatable === 'manual' && PROGRAM_KINDS.includes(kind)
  return isForPeople ? refuse('auth.forbidden', { needs: 'a person: the step is manual', step_id }) : ok(undefined)
}
