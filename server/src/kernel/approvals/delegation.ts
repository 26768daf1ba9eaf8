import type { AuditEvent } from '../contract/audit-events.ts'
import type { KeyId } from '../contract/ids.ts'
import type { DriverEvent, RunKind, Step } from '../contract/run.ts'

/**
 * An approver's delegation for a period. It applies while the run waits and `until` is in the future, whether or not its timer
 * has fired.
 */
export type Delegation = {
  /** Users: who is substituted, and by whom. */
  readonly from: string
  readonly to: string
  readonly until: number
  /** The caller that created it. */
  readonly by: string
  /** Its key, with which it ends. Absent if it was created without one of our keys. */
  readonly key?: KeyId
  readonly reason: string | null
  readonly trace: string
}

type Next = Step<Delegation, never>

const EXPIRY = 'expiry'
export const DELEGATION = 'delegation'

export function handOver(state: Delegation): Next {
  return {
    state,
    effects: [],
    timers: { [EXPIRY]: state.until },
    waits_for: `the end of the delegation to ${state.to}`,
  }
}

export const delegation: RunKind<Delegation, DriverEvent, never> = {
  kind: DELEGATION,
  effects: {},
  step,
}

function step(state: Delegation, event: DriverEvent): Next {
  if (event.type === 'run.cancel') return { ...end(state, 'delegation.ended', event.by), ends: 'cancelled' }
  if (event.type !== 'timer') return { state, effects: [] }
  if (event.now < state.until) return { state, effects: [], timers: { [EXPIRY]: state.until } }
  return { ...end(state, 'delegation.expired', 'gate'), ends: 'done' }
}

function end(state: Delegation, type: AuditEvent, actor: string): Next {
  const { from, to, trace } = state
  return { state, effects: [], audit: [{ type, actor, trace, subject: { user: from, delegate: to } }] }
}
