import type { RunKind } from '../../contract/run.ts'
import { toolflow } from '../toolflow/step.ts'
import { delivery } from './delivery.ts'
import { heldCall } from './held-call.ts'

/** Every kind of run the driver knows. A new way of working is a new line here and a pure step beside it. */
export const RUN_KINDS: ReadonlyMap<string, RunKind> = new Map(
  [heldCall, delivery, toolflow].map((kind) => [kind.kind, kind as unknown as RunKind]),
)
