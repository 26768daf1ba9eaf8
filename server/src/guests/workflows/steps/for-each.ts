import { z } from 'zod'
import type { Json, JsonObject } from '../../../kernel/contract/json.ts'
import { completed, failed } from '../draft.ts'
import { textIn } from '../raw-document.ts'
import { around } from '../scope.ts'
import { newFrame, type Frame } from '../state.ts'
import { listAt } from '../templates.ts'
import { FIELDS, stepType, type AnyStep } from './step-type.ts'

/** How deep loops may be nested. */
const MOST_LOOPS = 3
/** How many iterations of a loop run in parallel. */
const LANES = 4

/** Runs its steps once for each item of a list. `inner`: the schema of every step. */
export const forEach = (inner: () => z.ZodType<AnyStep>) =>
  stepType(
    z.strictObject({
      type: z.literal('for_each'),
      ...FIELDS.common,
      itemsExpr: FIELDS.path,
      itemVar: z
        .string()
        .regex(/^[A-Za-z_]\w{0,63}$/, 'a variable is named by letters, digits and `_`')
        .default('item'),
      maxIterations: z.int('a whole number').min(1).max(1_000).default(10),
      steps: z.array(z.lazy(inner)).min(1, 'give at least one step'),
    }),
    {
      check: ({ step, path, depth }, where, located) =>
        depth < MOST_LOOPS
          ? []
          : [located.at(path, `${where}: ${String(step['type'])} is nested in more than ${MOST_LOOPS} loops`)],
      paths: ['itemsExpr'],
      says: ({ type, itemsExpr }) => `${type} ${itemsExpr}`,
      edges: ({ itemVar, steps }, from, { next, edgesIn }) => [
        { from, to: `${from}.0`, when: `each ${itemVar}` },
        ...edgesIn(steps, `${from}.`, from),
        { from, to: next, when: 'all items done' },
      ],
      isFree: ({ steps }, _, isInnerFree) => steps.every(isInnerFree),
      advance(step, { draft, frame, lookup, number, isFree }) {
        const items = listAt(step.itemsExpr, lookup)
        if (typeof items === 'string') return { draft: failed(draft, 'template_unresolved', items, number), frame }
        if (items.length > step.maxIterations) {
          const says = `${items.length} items, and maxIterations is ${step.maxIterations}`
          return { draft: failed(draft, 'limit_exceeded', says, number), frame }
        }
        const parallel = step.steps.every(isFree)
        const { loaded: _, ...rest } = frame
        return { draft, frame: { ...rest, loop: { items, parallel, frames: items.map(() => newFrame(frame.last)) } } }
      },
      loop: {
        variable: (raw) => textIn(raw, 'itemVar') ?? 'item',
        steps: ({ steps }) => steps,
        /** Continues the first open iteration, or the first few if order does not matter. Their results keep the order of the items. */
        resume(step, { draft: before, frame, outer, number, advance }) {
          const { loop } = frame
          if (loop === undefined) return { draft: before, frame, rests: true }
          let draft = before
          let lanes = loop.parallel ? LANES : 1
          const frames = loop.frames.map((one, index) => {
            if (one.done === true || lanes === 0) return one
            lanes -= 1
            const within = around(outer, frame, step.itemVar, loop.items[index] ?? null)
            const advanced = advance(draft, one, step.steps, within)
            draft = advanced.draft
            // A finished iteration makes room at once.
            if (advanced.frame.done === true) lanes += 1
            return advanced.frame
          })
          const next: Frame = { ...frame, loop: { ...loop, frames } }
          if (!frames.every(({ done }) => done === true)) return { draft, frame: next, rests: true }
          const entries = frames.map((one, index): JsonObject => ({
            index,
            item: loop.items[index] ?? null,
            outputs: namedOutputs(one, step.steps),
            result: lastOf(one),
          }))
          return completed(draft, next, step, number, entries)
        },
      },
    },
  )

/** By id if the step has one, otherwise by `step_N`. */
function namedOutputs({ outputs }: Frame, steps: readonly AnyStep[]): JsonObject {
  return Object.fromEntries(
    Object.entries(outputs).map(([index, output]) => [steps[Number(index)]?.id ?? `step_${index}`, output]),
  )
}

/** The output of the last step that had one; null if none had. */
function lastOf({ outputs }: Frame): Json {
  const last = Math.max(...Object.keys(outputs).map(Number))
  return outputs[last] ?? null
}
