import { z } from 'zod'
import { Bug } from '../../../kernel/contract/problems.ts'
import { pathOfExpression, parseText, textsIn, type Path, listAt } from '../templates.ts'
import { type Json, isJsonObject } from '../../../kernel/contract/json.ts'
import { textIn, type Raw, listIn, mapIn } from '../raw-document.ts'
import { branch } from './branch.ts'
import { forEach } from './for-each.ts'
import { persist } from './persist.ts'
import { nameOf, type AnyStep, type StepType, type StepWork, FIELDS, stepType } from './step-type.ts'
import { tool } from './tool.ts'
import { modelWork, filledText } from './model-work.ts'
import { completed, failed } from '../draft.ts'
import { isForNow } from '../../../kernel/attempt/describe-call.ts'
import { SEND_TOOL_ID } from '../../../kernel/contract/message-tool.ts'

const SendMessage = z.strictObject({
  type: z.literal('send_message'),
  ...FIELDS.common,
  targetAlias: z.string().min(1).max(64),
  payloadTemplate: FIELDS.text.min(1, 'a message is not empty'),
})

/** Sends a message to a room that the document names. */
const sendMessage = stepType(SendMessage, {
  check({ step, path }, where, located) {
    const alias = textIn(step, 'targetAlias')
    const targets = listIn(mapIn(located.value, 'messaging'), 'allowedTargets')
    if (alias === undefined || targets.some((target) => textIn(target, 'alias') === alias)) return []
    return [
      located.at(
        [...path, 'targetAlias'],
        `${where}: unknown targetAlias \`${alias}\`; messaging.allowedTargets does not name it`,
      ),
    ]
  },
  texts: ['payloadTemplate'],
  says: ({ type, targetAlias }) => `${type} to ${targetAlias}`,
  isFree: () => false,
  work: {
    does: 'send',
    isCall: true,
    template: ({ payloadTemplate }) => ({ text: payloadTemplate }),
    details: ({ targetAlias }, { filled, state }) => ({
      room: state.targets[targetAlias] ?? '',
      text: filledText(filled['text']),
    }),
    /** A message is counted once, however often the step is performed. */
    async perform({ state, details, countMessage, call, found }) {
      const taken = await countMessage()
      if (taken === 'over') {
        const says = 'a limit of the document is reached: maxMessagesPerMinute'
        return { failure: { code: 'limit_exceeded', says, again: false } }
      }
      if (taken === 'later') return 'later'
      const args = { agent: state.document, room: textIn(details, 'room') ?? '', text: textIn(details, 'text') ?? '' }
      const outcome = await call(SEND_TOOL_ID, args)
      return isForNow(outcome) ? 'later' : found(outcome)
    },
    async assume({ state, details, judged }) {
      const args = { agent: state.document, room: details['room'] ?? '', text: details['text'] ?? '' }
      return { does: 'send_message', args, verdict: await judged(SEND_TOOL_ID, args), assumed: 'sent' }
    },
  },
})

const Collect = z.strictObject({
  type: z.literal('collect'),
  ...FIELDS.common,
  collectFrom: FIELDS.path,
  collectMode: z.enum(['result', 'entry', 'outputs', 'item']).default('result'),
  collectFlatten: z.boolean().default(false),
})

/** Takes one part of every entry of a list, usually of a loop. */
const collect = stepType(Collect, {
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
const parseInput = stepType(ParseInput, {
  texts: ['source', 'prompt'],
  work: modelWork({
    role: 'executor',
    task: 'You read a text and write what it says in the form that is asked for. Copy names, numbers and ids exactly; never invent one.',
    template: ({ prompt = '', source = '{{run.message}}' }) => ({ prompt, source }),
    readsText: true,
  }),
})

const Summarize = z.strictObject({
  type: z.literal('summarize'),
  ...FIELDS.common,
  prompt: FIELDS.text.min(1, 'a prompt is not empty'),
  outputSchemaRef: FIELDS.schemaRef,
  retries: FIELDS.retries.optional(),
})

/** A model sums up what the run knows. */
const summarize = stepType(Summarize, {
  texts: ['prompt'],
  work: modelWork({
    role: 'finalizer',
    task: 'You write a summary in the form that is asked for, from the prompt and the state. Say nothing that is not there.',
    template: ({ prompt }) => ({ prompt }),
  }),
})

const Plan = z.strictObject({
  type: z.literal('plan'),
  ...FIELDS.common,
  prompt: FIELDS.text.min(1, 'a prompt is not empty'),
  outputSchemaRef: FIELDS.schemaRef.optional(),
  retries: FIELDS.retries.optional(),
})

/** A model writes a plan, as data. */
const plan = stepType(Plan, {
  texts: ['prompt'],
  work: modelWork({
    role: 'planner',
    task: 'You write a plan in the form that is asked for, from the prompt and the state.',
    template: ({ prompt }) => ({ prompt }),
  }),
})

/** Every type of step, in the order in which people see them. */
export const STEP_TYPES: readonly StepType[] = [
  parseInput,
  tool,
  branch,
  summarize,
  plan,
  forEach((): z.ZodType<AnyStep> => WorkflowStep),
  collect,
  sendMessage,
  persist,
]

type Option = z.ZodObject<{ readonly type: z.ZodLiteral<string> }>
export const WorkflowStep = z.discriminatedUnion(
  'type',
  STEP_TYPES.map(({ schema }) => schema as unknown as Option) as [Option, ...Option[]],
) as unknown as z.ZodType<AnyStep>

const BY_NAME: ReadonlyMap<string, StepType> = new Map(STEP_TYPES.map((type) => [nameOf(type), type]))
export const STEP_NAMES: readonly string[] = [...BY_NAME.keys()]
/** The names of all fields that some step has. */
export const STEP_FIELDS: readonly string[] = [
  ...new Set(STEP_TYPES.flatMap(({ schema }) => Object.keys(schema.shape))),
]
export const TEXT_FIELDS: readonly string[] = [...new Set(STEP_TYPES.flatMap(({ texts = [] }) => texts))]
export const PATH_FIELDS: readonly string[] = [...new Set(STEP_TYPES.flatMap(({ paths = [] }) => paths))]

export const typeNamed = (name: unknown): StepType | undefined =>
  typeof name === 'string' ? BY_NAME.get(name) : undefined
/** A run has only steps that were checked. */
export function typeOf({ type }: AnyStep): StepType {
  const found = BY_NAME.get(type)
  if (found === undefined) throw new Bug(`there is no step type \`${type}\``)
  return found
}

const WORKS: ReadonlyMap<string, StepWork> = new Map(
  STEP_TYPES.flatMap(({ work }) => (work === undefined ? [] : [[work.does, work]])),
)
export const workNamed = (does: string): StepWork | undefined => WORKS.get(does)
export const ALL_WORK: readonly StepWork[] = [...WORKS.values()]

/** The steps inside a step. */
export const innerOf = (step: AnyStep): readonly AnyStep[] => typeOf(step).loop?.steps(step) ?? []

/** The step with this displayed number. */
export function stepAt(steps: readonly AnyStep[], number: string): AnyStep | undefined {
  const [first = '', ...rest] = number.split('.')
  const step = steps[Number(first)]
  if (step === undefined || rest.length === 0) return step
  return stepAt(innerOf(step), rest.join('.'))
}

/** The ids of all tools that steps name. */
export const toolsIn = (steps: readonly AnyStep[]): readonly string[] => [
  ...new Set(steps.flatMap((step) => [...(typeOf(step).tools?.(step) ?? []), ...toolsIn(innerOf(step))])),
]

/** The keys of the agent's store that a step may refer to. */
export function storeKeysOf(step: AnyStep): readonly string[] {
  const { texts = [], value, paths = [], pathsIn } = typeOf(step)
  const fields = step as Raw
  const templates = [
    ...texts.map((field) => textIn(fields, field) ?? ''),
    ...(value === undefined ? [] : textsIn((fields[value.field] ?? null) as Json).map(({ text }) => text)),
  ]
  const expressions = [
    ...paths.map((field) => textIn(fields, field) ?? ''),
    ...(pathsIn?.(fields) ?? []).map(({ text }) => text),
  ]
  const named: readonly Path[] = [
    ...templates.flatMap(pathsInText),
    ...expressions.map((text) => pathOfExpression(text) ?? []),
  ]
  const keys = named
    .filter(([root]) => root === 'store')
    .flatMap(([, ...rest]) => rest.map((_, at) => rest.slice(0, at + 1).join('.')))
  return [...new Set(keys)]
}

function pathsInText(text: string): Path[] {
  const parsed = parseText(text)
  return parsed.ok ? parsed.parts.flatMap((part) => (part.is === 'value' ? [part.path] : [])) : []
}
