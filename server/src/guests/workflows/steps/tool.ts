import { z } from 'zod'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/contract/json.ts'
import { isForNow } from '../../../kernel/attempt/describe-call.ts'
import { exampleArgs } from '../../../kernel/text/example-args.ts'
import { textIn } from '../raw-document.ts'
import { BUILT_IN_TOOLS, toolIdOf } from '../tool-names.ts'
import { argsWithSecrets } from '../tool-step.ts'
import { FIELDS, stepType } from './step-type.ts'

const ToolStep = z.strictObject({
  type: z.literal('tool'),
  ...FIELDS.common,
  tool: z.string().min(1).max(128),
  argsTemplate: z.union([z.record(z.string(), z.json()), z.string()]).default({}),
  outputSchemaRef: FIELDS.schemaRef.optional(),
  retries: FIELDS.retries.optional(),
})

/** Calls a tool, as the document's own agent. */
export const tool = stepType(ToolStep, {
  check({ step, path }, where, located) {
    const named = textIn(step, 'tool')
    return named === undefined || toolIdOf(named) !== undefined
      ? []
      : [located.at([...path, 'tool'], `${where}: \`${named}\` is not a tool; write \`server__tool\``)]
  },
  value: { field: 'argsTemplate', mayHoldSecret: true },
  says: (step) => `tool ${step.tool}`,
  tools: (step) => [toolIdOf(step.tool) ?? step.tool],
  isFree: (step, reads) => reads.includes(toolIdOf(step.tool) ?? ''),
  work: {
    does: 'tool',
    isCall: true,
    isRetried: true,
    template: ({ argsTemplate }) => ({ args: argsTemplate }),
    details: (step, { filled, secrets }) => ({
      tool: toolIdOf(step.tool) ?? step.tool,
      args: filled['args'] ?? {},
      secrets: inside(secrets, '/args'),
    }),
    async perform({ details, call, found, checked, readArtifact }) {
      const name = textIn(details, 'tool') ?? ''
      const args = argsOf(details)
      if (args === undefined)
        return {
          failure: { code: 'template_unresolved', says: 'the arguments name secrets by themselves', again: false },
        }
      if (BUILT_IN_TOOLS.some((own) => own === name)) return readArtifact(name, args)
      const outcome = await call(name, args)
      return isForNow(outcome) ? 'later' : checked(await found(outcome))
    },
    async assume({ details, step, outputSchemaOf, judged }) {
      const name = textIn(details, 'tool') ?? ''
      const args = argsOf(details) ?? {}
      const schema = outputSchemaOf(name)
      const assumed = (schema === undefined ? undefined : exampleArgs(schema)) ?? `(output of step ${step})`
      return { does: `tool ${name}`, args, verdict: await judged(name, args), assumed }
    },
  },
})

const argsOf = (details: JsonObject): Json | undefined =>
  argsWithSecrets(details['args'] ?? {}, isJsonObject(details['secrets']) ? details['secrets'] : {})

/** Pointers of secrets, relative to the arguments. */
const inside = (secrets: Readonly<Record<string, string>>, prefix: string): JsonObject =>
  Object.fromEntries(Object.entries(secrets).map(([pointer, name]) => [pointer.slice(prefix.length), name]))
