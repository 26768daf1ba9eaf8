import { z } from 'zod'
import { Bug } from '../../../kernel/contract/problems.ts'
import { pathOfExpression, parseText, textsIn, type TemplatePath } from '../templates.ts'
import type { Json } from '../../../kernel/contract/json.ts'
import { textIn, type Raw } from '../raw-document.ts'
import { branch } from './branch.ts'
import { collect } from './collect.ts'
import { forEach } from './for-each.ts'
import { parseInput } from './parse-input.ts'
import { persist } from './persist.ts'
import { plan } from './plan.ts'
import { sendMessage } from './send-message.ts'
import { nameOf, type AnyStep, type StepType, type StepWork } from './step-type.ts'
import { summarize } from './summarize.ts'
import { tool } from './tool.ts'

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
  const named: readonly TemplatePath[] = [
    ...templates.flatMap(pathsInText),
    ...expressions.map((text) => pathOfExpression(text) ?? []),
  ]
  const keys = named
    .filter(([root]) => root === 'store')
    .flatMap(([, ...rest]) => rest.map((_, at) => rest.slice(0, at + 1).join('.')))
  return [...new Set(keys)]
}

function pathsInText(text: string): TemplatePath[] {
  const parsed = parseText(text)
  return parsed.ok ? parsed.parts.flatMap((part) => (part.is === 'value' ? [part.path] : [])) : []
}
