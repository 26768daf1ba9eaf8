import type { Json } from '../contract/json.ts'
import type { RunKind, RunRow } from '../contract/run.ts'
import { agent } from '../../guests/agent/step.ts'
import { flowExecution } from '../../guests/flows/execution-step.ts'
import { toolflow } from '../../guests/toolflow/step.ts'
import { delegation } from '../approvals/delegation.ts'
import { schedules } from '../../guests/workflows/schedules.ts'
import { workflow } from '../../guests/workflows/step.ts'
import { delivery } from '../approvals/delivery.ts'
import { hubReport } from '../../guests/hub/hub-report.ts'
import { heldCall } from '../attempt/held-call.ts'

/** Every kind of run the driver knows. To add one, add a line here and a pure step beside it. */
export const KINDS = [
  heldCall,
  delegation,
  delivery,
  hubReport,
  toolflow,
  agent,
  flowExecution,
  workflow,
  schedules,
] as const

/** By name. The driver passes each kind only the rows and events that were written for it. */
export const RUN_KINDS: ReadonlyMap<string, RunKind> = new Map(
  KINDS.map((kind) => [kind.kind, kind as unknown as RunKind]),
)

type Fields = { readonly [field: string]: Json }
const fieldsIn = (value: Json | undefined): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** Whose credential a run acts with, as its state says: also after the rest of its state was deleted. */
export function callerOfRun({ kind, state, expired_at }: Pick<RunRow, 'kind' | 'state' | 'expired_at'>) {
  const callerOf = expired_at === undefined ? RUN_KINDS.get(kind)?.callerOf : undefined
  return callerOf === undefined ? fieldsIn(fieldsIn(state)?.['caller']) : callerOf(state)
}

/** The effects of all kinds. */
export type AnyRunEffect = (typeof KINDS)[number] extends infer Kind
  ? Kind extends RunKind<infer _State, infer _Event, infer Effect>
    ? Effect
    : never
  : never
