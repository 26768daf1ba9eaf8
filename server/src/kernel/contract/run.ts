import { z } from 'zod'
import type { AuditDraft } from './audit.ts'
import type { RunId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'

/** Something that happened to a run. Events are appended, numbered per run, and read in order. */
export type RunEvent = { readonly type: string } & JsonObject

/** Events that the driver creates itself; every kind gets them. */
export type DriverEvent =
  /** `at`: the time that it was set for. Journals of earlier releases have timers without it, or without a name. */
  | { readonly type: 'timer'; readonly name?: string; readonly now: number; readonly at?: number }
  /** The driver that performed this effect no longer exists, and the effect may not be repeated: its result is unknown. */
  | { readonly type: 'effect.unknown'; readonly key: string }
  /** The run asked for it to be cancelled, and the performer stopped. */
  | { readonly type: 'effect.cancelled'; readonly key: string }
  | { readonly type: 'child.ended'; readonly run_id: string; readonly status: RunStatus; readonly result: Json }
  | { readonly type: 'run.cancel'; readonly by: string; readonly reason?: string }

/** An external effect that a run requests. `key` is unique within the run and never reused: no key is performed twice. */
export type RunEffect = { readonly key: string; readonly kind: string; readonly with: JsonObject }

/**
 * `active`: effects are in progress. `waiting`: parked until an event or a timer. `faulted`: parked until an admin resumes it.
 * The other three have ended.
 */
export const RunStatus = z.enum(['active', 'waiting', 'done', 'failed', 'cancelled', 'faulted'])
export type RunStatus = z.infer<typeof RunStatus>

/** The kinds of runs of the kernel. Guests add theirs (kernel/registries.ts). */
export const KERNEL_RUN_KINDS = ['held-call', 'delegation', 'delivery'] as const
export type KernelRunKind = (typeof KERNEL_RUN_KINDS)[number]

export const RUN_ENDINGS = ['done', 'failed', 'cancelled'] as const satisfies readonly RunStatus[]
export type RunEnding = (typeof RUN_ENDINGS)[number]
export const isEndedRun = ({ status }: { readonly status: RunStatus }): boolean =>
  RUN_ENDINGS.some((ending) => ending === status)

/** A step or performer threw: how often in a row, when last, and when it is retried. */
export type RunFault = {
  readonly count: number
  readonly at: number
  readonly says: string
  readonly retry_at?: number
}

/** The owner of a run and what it belongs to: indexed, so that runs can be found by them. */
export type RunOwner = {
  readonly owner?: string
  readonly thread?: string
  readonly parent?: RunId
  /** The version of the document that it carries out. */
  readonly document?: string
  /** Its texts, and those of its calls, are kept in memory only. */
  readonly volatile?: true
}

/** Anything durable that advances in steps. While parked it is only this row. */
export type RunRow = RunOwner & {
  readonly v: 2
  readonly run_id: RunId
  /** Where the rest of a volatile row is, as long as its process exists. */
  readonly in_memory?: string
  readonly kind: string
  readonly status: RunStatus
  readonly state: Json
  /** The last event that `state` includes. */
  readonly cursor: number
  /** Effects in progress: written before they start, removed by the commit with their result. */
  readonly executing: readonly RunEffect[]
  /** Keys of those that the run no longer needs. A process that starts one of them starts it cancelled. */
  readonly cancelling?: readonly string[]
  /** The boot that performs them, while there are any. */
  readonly driver?: string
  /** When to wake up, by name. */
  readonly timers: Readonly<Record<string, number>>
  /** What a parked run waits for, such as `approval auth_…`. */
  readonly waits_for?: string
  readonly result?: Json
  readonly fault?: RunFault
  readonly created_at: number
  readonly ended_at?: number
  /** The day it ended, counted from 1970, as long as its state and journal are kept. */
  readonly ended_day?: string
  /** When its state and journal were deleted. */
  readonly expired_at?: number
}

/**
 * Whether an effect whose result was lost may be started again. `guarded`: it may also be started before its mark is stored,
 * because a row of its own decides in one commit whether it happens, and an abandoned start costs nothing.
 */
export type Repeat = 'repeatable' | 'guarded' | 'once'

/** The table that a kind follows, in a form that can be drawn: the possible nodes, and the conditions of the transitions. */
export const RunGraph = z.object({
  nodes: z.array(z.object({ id: z.string(), says: z.string() })).readonly(),
  edges: z.array(z.object({ from: z.string(), to: z.string(), when: z.string() })).readonly(),
})
export type RunGraph = z.infer<typeof RunGraph>

/** A kind of run: a pure step, and the effects it can request. */
export type RunKind<
  State extends Json = Json,
  Event extends RunEvent = RunEvent,
  Effect extends RunEffect = RunEffect,
> = {
  readonly kind: string
  readonly effects: Readonly<Record<Effect['kind'], Repeat>>
  /** For a kind that follows a table. */
  readonly graph?: RunGraph
  /** For a kind whose runs each follow a table of their own. */
  graphOf?(state: State): RunGraph
  /** Whose credential it acts with, if that is not the `caller` of its state. */
  callerOf?(state: State): JsonObject
  step(state: State, event: Event): Step<State, Effect>
}

export type Step<State extends Json = Json, Effect extends RunEffect = RunEffect> = {
  readonly state: State
  readonly effects: readonly Effect[]
  /** Keys of effects in progress that are no longer needed. Each still ends with an event. */
  readonly cancel?: readonly string[]
  /** Sets, moves or (null) clears timers by name. */
  readonly timers?: Readonly<Record<string, number | null>>
  /** What the run waits for from now on; null if nothing in particular. */
  readonly waits_for?: string | null
  readonly ends?: RunEnding
  readonly result?: Json
  /** The driver adds the time. */
  readonly audit?: readonly Omit<AuditDraft, 'at'>[]
  /** Child runs; the end of each is an event of this run. */
  readonly start?: readonly ChildRun[]
  /** Events for other runs. */
  readonly send?: readonly { readonly run: RunId; readonly event: RunEvent }[]
}

export type ChildRun = Pick<RunOwner, 'owner' | 'thread' | 'document'> & {
  readonly run_id: RunId
  readonly kind: string
  readonly state: Json
  /** Its first event. */
  readonly event: RunEvent
}
