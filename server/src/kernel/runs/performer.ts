import type { RunId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import type { RunEffect, RunEvent } from '../contract/run.ts'

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

export function performersByName<Effect extends RunEffect>(performers: PerformersOf<Effect>): Performers {
  return new Map(Object.entries(performers) as [string, Perform][])
}
