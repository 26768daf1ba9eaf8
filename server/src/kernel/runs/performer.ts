import type { RunId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import type { RunEffect, RunEvent, RunKind, RunRow } from '../contract/run.ts'
import type { WithdrawCall } from '../attempt/held-call.ts'
import type { AllOf } from '../all-of.ts'
import type { Journal } from '../ports/reads.ts'

/** What a performer gets besides the effect. */
export type Performing = {
  readonly run_id: RunId
  /** Aborted when the run no longer needs the effect, or another node took the run over. */
  readonly signal: AbortSignal
  /** Intermediate output, for watchers of the run. Not stored in the journal. */
  readonly emit: (news: Json) => void
}

/**
 * Carries out one kind of effect. The event it returns gets the effect's key. `later`: nothing was done, for a temporary reason;
 * the driver tries again soon.
 */
export type Perform<Effect extends RunEffect = RunEffect> = (
  effect: Effect,
  performing: Performing,
) => Promise<RunEvent | 'later'>

/** One performer for every kind of effect in a union. */
export type PerformersOf<Effect extends RunEffect> = {
  readonly [Kind in Effect['kind']]: Perform<Extract<Effect, { readonly kind: Kind }>>
}

/** As the driver sees them: by the name of the effect. */
export type Performers = ReadonlyMap<string, Perform>

/** What performers need of a gate, by who contributes them. A guest adds a field with what its own need. */
export interface PerformerNeeds {}
/** Everything that is needed by some performer. */
export type PerformerPorts = AllOf<PerformerNeeds>

/** A kind of run with everything that a gate has to know about it. The driver passes it only the rows and events written for it. */
export type RunKindEntry = RunKind & {
  performers(deps: PerformerPorts): Readonly<Record<string, Perform>>
  /**
   * What becomes of an open run of this kind after a backup was restored: it stays as it is, it continues with an event, or
   * (also if this is absent) it is cancelled.
   */
  restored?(
    row: RunRow,
    world: { readonly now: number; readonly journal: Pick<Journal, 'events'> },
  ): Promise<'kept' | 'cancelled' | { readonly continues: RunEvent }>
}

/** Every kind of run of a gate, by name. */
export type RunKinds = ReadonlyMap<string, RunKindEntry>

/**
 * An entry of the registry. The type requires one performer for each effect of the kind, except that every kind may withdraw a
 * call that it has made.
 */
export function runKindEntry<State extends Json, Event extends RunEvent, Effect extends RunEffect>(
  kind: RunKind<State, Event, Effect>,
  more: Pick<RunKindEntry, 'restored'> & {
    performers(deps: PerformerPorts): PerformersOf<Exclude<Effect, WithdrawCall>>
  },
): RunKindEntry {
  // Its own rows, events and effects are the only ones that reach it.
  return { ...kind, ...more } as unknown as RunKindEntry
}

/** Which function performs which effect. */
export function performersOf(kinds: RunKinds, deps: PerformerPorts): Performers {
  return new Map([...kinds.values()].flatMap((kind) => Object.entries(kind.performers(deps))))
}
