import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { failed, keyAt, type Advanced, type Draft, type Moved, type WorkflowEffect } from './draft.ts'
import { lookupIn, type Around } from './scope.ts'
import type { Frame } from './state.ts'
import { storeKeysOf, typeOf } from './steps/steps.ts'
import type { Advancing, AnyStep, StepWork } from './steps/step-type.ts'
import { renderTemplate } from './templates.ts'

/** Continues a list of steps until every piece of work is in progress, waits or is done. */
export function advanceFrame(before: Draft, from: Frame, steps: readonly AnyStep[], outer: Around): Advanced {
  let [draft, frame] = [before, from]
  // Fixed when the run began.
  const { reads } = before.state
  while (frame.work === undefined && frame.done === undefined && draft.state.failure === null) {
    const step = steps[frame.at]
    if (step === undefined) return { draft, frame: { ...frame, done: true } }
    const next = moved(step, {
      draft,
      frame,
      steps,
      outer,
      lookup: lookupIn(draft.state, frame, outer),
      number: `${outer.prefix}${frame.at}`,
      advance: advanceFrame,
      isFree: (one) => isFree(one, reads),
    })
    ;({ draft, frame } = next)
    if (next.rests === true) break
  }
  return { draft, frame }
}

function moved(step: AnyStep, at: Advancing): Moved {
  const { draft, frame, number } = at
  const type = typeOf(step)
  if (frame.loop !== undefined) return type.loop?.resume(step, at) ?? { draft, frame, rests: true }
  const keys = frame.loaded === undefined ? storeKeysOf(step) : []
  if (keys.length > 0) return begin(draft, frame, 'load', number, { keys, step: number })
  if (type.advance !== undefined) return type.advance(step, at)
  return type.work === undefined ? { draft, frame, rests: true } : act(step, type.work, at)
}

/** Steps whose order has no visible effect. */
function isFree(step: AnyStep, reads: readonly string[]): boolean {
  return typeOf(step).isFree?.(step, reads, (inner) => isFree(inner, reads)) ?? true
}

/** Fills the step's templates; a missing value stops the run before the step does anything. */
function act(step: AnyStep, work: StepWork, { draft, frame, outer, lookup, number }: Advancing): Moved {
  const rendered = renderTemplate(work.template(step), lookup)
  if (!rendered.ok) return { draft: failed(draft, 'template_unresolved', rendered.says, number), frame }
  const { value, secrets } = rendered
  const filled = isJsonObject(value) ? value : {}
  const details = work.details(step, { filled, secrets, state: draft.state, frame, outer })
  const schema = step.outputSchemaRef === undefined ? {} : { schema: step.outputSchemaRef }
  return begin(draft, frame, work.does, number, { ...details, step: number, ...schema })
}

function begin(draft: Draft, frame: Frame, does: string, number: string, details: JsonObject): Moved {
  const { state } = draft
  const key = keyAt(state, number)
  const effect: WorkflowEffect = { key, kind: `workflow_${does}`, with: details }
  return {
    draft: { ...draft, state: { ...state, works: state.works + 1 }, effects: [...draft.effects, effect] },
    frame: { ...frame, work: { key, does, is: 'begun', attempt: does === 'load' ? 1 : (frame.tried ?? 0) + 1 } },
  }
}
