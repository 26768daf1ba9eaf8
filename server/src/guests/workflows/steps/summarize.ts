import { z } from 'zod'
import { modelWork } from './model-work.ts'
import { FIELDS, stepType } from './step-type.ts'

const Summarize = z.strictObject({
  type: z.literal('summarize'),
  ...FIELDS.common,
  prompt: FIELDS.text.min(1, 'a prompt is not empty'),
  outputSchemaRef: FIELDS.schemaRef,
  retries: FIELDS.retries.optional(),
})

/** A model sums up what the run knows. */
export const summarize = stepType(Summarize, {
  texts: ['prompt'],
  work: modelWork({
    role: 'finalizer',
    task: 'You write a summary in the form that is asked for, from the prompt and the state. Say nothing that is not there.',
    template: ({ prompt }) => ({ prompt }),
  }),
})
