import { z } from 'zod'
import type { RunId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'

/** Something that happened to a run. Events are appended, numbered per run, and read in order. */
export type RunEvent = { readonly type: string } & JsonObject

/** Something a run wants done in the world. `key` names it for ever: the same key is never carried out twice. */
export type RunEffect = { readonly key: string; readonly kind: string; readonly with: JsonObject }

export const RunStatus = z.enum(['active', 'done'])
export type RunStatus = z.infer<typeof RunStatus>

/** Anything durable that advances in steps. Parked it is only this row. */
export type RunRow = {
  readonly v: 1
  readonly run_id: RunId
  readonly kind: string
  readonly status: RunStatus
  readonly state: Json
  /** The last event that `state` has seen. */
  readonly cursor: number
  /** Effects already marked `executing`: written before they start, removed with their result. */
  readonly executing: readonly RunEffect[]
  readonly created_at: number
  /** The day it ended, counted from 1970, as long as its state and journal are kept. */
  readonly ended_day?: string
  /** When its state and journal were removed. */
  readonly expired_at?: number
}

/** A kind of run: a pure step, and what its effects may assume after a crash. */
export type RunKind<State extends Json = Json> = {
  readonly kind: string
  step(state: State, event: RunEvent): Step<State>
}
export type Step<State extends Json = Json> = {
  readonly state: State
  readonly effects: readonly RunEffect[]
  /** Wake this run again at these times, if nothing else does. */
  readonly timers?: readonly number[]
  readonly done?: boolean
}
