import { z } from 'zod'
import { modelWork } from './model-work.ts'
import { FIELDS, stepType } from './step-type.ts'

const ParseInput = z.strictObject({
  type: z.literal('parse_input'),
  ...FIELDS.common,
  /** What is parsed; by default the trigger's message. */
  source: FIELDS.text.optional(),
  prompt: FIELDS.text.optional(),
  outputSchemaRef: FIELDS.schemaRef,
  retries: FIELDS.retries.optional(),
})

/** A model reads a text. */
export const parseInput = stepType(ParseInput, {
  texts: ['source', 'prompt'],
  work: modelWork({
    role: 'executor',
    task: 'You read a text and write what it says in the form that is asked for. Copy names, numbers and ids exactly; never invent one.',
    template: ({ prompt = '', source = '{{run.message}}' }) => ({ prompt, source }),
    readsText: true,
  }),
})
