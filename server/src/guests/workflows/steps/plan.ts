import { z } from 'zod'
import { modelWork } from './model-work.ts'
import { FIELDS, stepType } from './step-type.ts'

const Plan = z.strictObject({
  type: z.literal('plan'),
  ...FIELDS.common,
  prompt: FIELDS.text.min(1, 'a prompt is not empty'),
  outputSchemaRef: FIELDS.schemaRef.optional(),
  retries: FIELDS.retries.optional(),
})

/** A model writes a plan, as data. */
export const plan = stepType(Plan, {
  texts: ['prompt'],
  work: modelWork({
    role: 'planner',
    task: 'You write a plan in the form that is asked for, from the prompt and the state.',
    template: ({ prompt }) => ({ prompt }),
  }),
})
