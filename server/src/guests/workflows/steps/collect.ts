import { z } from 'zod'
import { isJsonObject, type Json } from '../../../kernel/contract/json.ts'
import { completed, failed } from '../draft.ts'
import { listAt } from '../templates.ts'
import { FIELDS, stepType } from './step-type.ts'

const Collect = z.strictObject({
  type: z.literal('collect'),
  ...FIELDS.common,
  collectFrom: FIELDS.path,
  collectMode: z.enum(['result', 'entry', 'outputs', 'item']).default('result'),
  collectFlatten: z.boolean().default(false),
})

/** Takes one part of every entry of a list, usually of a loop. */
export const collect = stepType(Collect, {
  paths: ['collectFrom'],
  advance(step, { draft, frame, lookup, number }) {
    const list = listAt(step.collectFrom, lookup)
    if (typeof list === 'string') return { draft: failed(draft, 'template_unresolved', list, number), frame }
    const values: Json[] = []
    for (const entry of list) {
      const value =
        step.collectMode === 'entry' || !isJsonObject(entry) || !Object.hasOwn(entry, 'outputs')
          ? entry
          : entry[step.collectMode]
      if (step.collectFlatten && Array.isArray(value)) values.push(...(value as readonly Json[]))
      else values.push(value ?? null)
    }
    return completed(draft, frame, step, number, values)
  },
})
