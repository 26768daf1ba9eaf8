import { z } from 'zod'
import type { Sha256 } from './ids.ts'
import type { Json } from './json.ts'

/** A path into an answer or into arguments: keys and list positions, separated by dots. */
const PATH = /^[^.{}]+(\.[^.{}]+)*$/
export const ValuePath = z
  .string()
  .max(300)
  .regex(PATH, 'a path consists of keys and list positions, separated by dots')

/** Where a placeholder can take its value from. */
export const SOURCES = ['args', 'result'] as const
export type TemplateSource = (typeof SOURCES)[number]

/** Everything between double braces, well-formed or not. */
export const PLACEHOLDER = /\{\{((?:(?!\{\{).)*?)\}\}/gs

/** `args.<path>` or `result.<path>`; undefined for anything else between the braces. */
export function readPlaceholder(
  inside: string,
): { readonly source: TemplateSource; readonly path: string } | undefined {
  const dot = inside.indexOf('.')
  const source = SOURCES.find((name) => name === inside.slice(0, dot))
  const path = inside.slice(dot + 1)
  return source !== undefined && PATH.test(path) && path === path.trim() ? { source, path } : undefined
}

const Value: z.ZodType<Json> = z.json()
const Arguments = z.record(z.string(), Value).readonly()

/** One expectation about an answer: exactly one of the four words. `contains` looks for a part of a text or an item of a list. */
export const Expectation = z
  .strictObject({
    path: ValuePath.describe('The field of the answer, as a path with dots: `message.to`.'),
    equals: Value.optional().describe('The field equals this value.'),
    contains: Value.optional().describe('The field contains this text or item.'),
    exists: z.boolean().optional().describe('Whether the field exists.'),
    in: z.array(Value).min(1).max(100).readonly().optional().describe('The field is one of these values.'),
  })
  .refine((one) => EXPECTED.filter((word) => one[word] !== undefined).length === 1, {
    message: 'write exactly one of `equals`, `contains`, `exists`, `in`',
  })
  .refine(({ contains }) => contains === undefined || !isEmpty(contains), {
    message: '`contains` must not be empty',
  })
export type Expectation = z.infer<typeof Expectation>
export const EXPECTED = ['equals', 'contains', 'exists', 'in'] as const

const Expectations = z.union([Expectation.transform((one) => [one]), z.array(Expectation).min(1).max(20)]).readonly()

/** A question to a read-only tool of the same server, and what its answer must be. */
export const ReadBack = z.strictObject({
  tool: z.string().min(1).describe('The tool of the server that reads.'),
  args: Arguments.default({}).describe('Its arguments, with `{{args.…}}` and, after the call, `{{result.…}}`.'),
  expect: Expectations.describe('What its answer must contain: one expectation or a list.'),
})
export type ReadBack = z.infer<typeof ReadBack>

/** What must be true before the tool runs. There is no result yet to refer to. */
export const Check = ReadBack.superRefine((check, context) => {
  refusePlaceholders(check, ['args'], context)
})
/** What must be true after it ran. */
export const Verify = ReadBack.superRefine((verify, context) => {
  refusePlaceholders(verify, SOURCES, context)
})

/** What would undo a call: a call to another tool of the same server, or a command for a person. Never executed by the gate. */
export const RollbackSettings = z
  .strictObject({
    tool: z.string().min(1).optional().describe('The tool of the server that undoes it.'),
    args: Arguments.optional().describe('Its arguments, with `{{args.…}}` and `{{result.…}}`.'),
    /** Shown as it is. Values chosen by an agent must not be part of a command that a person may copy. */
    command: z.string().min(1).max(500).optional().describe('A command for a person to run, instead of `tool`.'),
  })
  .superRefine((rollback, context) => {
    const refuse = (message: string, path: string[] = []) => context.addIssue({ code: 'custom', path, message })
    if ((rollback.tool === undefined) === (rollback.command === undefined)) refuse('write either `tool` or `command`')
    if (rollback.command !== undefined && rollback.args !== undefined) refuse('a command has no `args`', ['args'])
    if (rollback.command?.includes('{{') === true) refuse('a command has no placeholders', ['command'])
    refusePlaceholders({ args: rollback.args ?? {} }, SOURCES, context)
  })
export type RollbackSettings = z.infer<typeof RollbackSettings>

type Declared = {
  readonly effects?: readonly string[] | undefined
  readonly check?: ReadBack | undefined
  readonly verify?: ReadBack | undefined
}

/** What the gate asks by itself must not change anything, and only the operator can declare that. */
export function refuseWriters(tools: Readonly<Record<string, Declared>>, key: string, context: Issues): void {
  for (const [name, { check, verify }] of Object.entries(tools))
    for (const [part, declared] of Object.entries({ check, verify })) {
      if (declared === undefined) continue
      const asked = Object.hasOwn(tools, declared.tool) ? tools[declared.tool]?.effects : undefined
      if (asked !== undefined && asked.every((effect) => effect === 'read')) continue
      const message = `only a tool that reads may be used here: declare \`${declared.tool}\` with \`effects: [read]\` here`
      context.addIssue({ code: 'custom', path: [key, name, part, 'tool'], message })
    }
}

type Issues = { addIssue(issue: { code: 'custom'; path: PropertyKey[]; message: string }): void }

/** A placeholder that could never be filled is rejected when the configuration is read, not when a call depends on it. */
function refusePlaceholders(
  part: { readonly args: Json; readonly expect?: readonly Expectation[] },
  sources: readonly TemplateSource[],
  context: Issues,
): void {
  const allowed = sources.map((source) => `{{${source}.<path>}}`).join(' or ')
  const message = `a placeholder is ${allowed}, and is only allowed in values`
  for (const path of wrongPlaceholders(part.args, sources)) {
    context.addIssue({ code: 'custom', path: ['args', ...path], message })
  }
  for (const { equals = null, contains = null, in: any = [] } of part.expect ?? [])
    if (wrongPlaceholders([equals, contains, any], sources).length > 0)
      context.addIssue({ code: 'custom', path: ['expect'], message })
}

function wrongPlaceholders(value: Json, sources: readonly TemplateSource[], path: PropertyKey[] = []): PropertyKey[][] {
  if (typeof value === 'string') return isFillable(value, sources) ? [] : [path]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key.includes('{{') ? [[...path, key]] : []),
    ...wrongPlaceholders(inner, sources, [...path, key]),
  ])
}

function isFillable(text: string, sources: readonly TemplateSource[]): boolean {
  const found = [...text.matchAll(PLACEHOLDER)]
  const known = found.every(([, inside = '']) => {
    const read = readPlaceholder(inside)
    return read !== undefined && sources.includes(read.source)
  })
  return known && !text.replaceAll(PLACEHOLDER, '').includes('{{')
}

/** Contained in everything, so it would prove nothing. */
export function isEmpty(value: Json): boolean {
  if (typeof value === 'string') return value === ''
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** The result of a check or a read-back. `says` names the expectation as declared: never the values of arguments. */
export type Verification = {
  readonly ok: Verified
  /** The id of the tool that was asked. */
  readonly tool: string
  readonly says: string
  readonly expected: readonly string[]
  readonly at: number
  /** The digest of the whole answer, and its beginning, for people who read the record. */
  readonly digest?: Sha256
  readonly preview?: string
}

/** `unknown`: the read-back could not be carried out, or has not been yet. */
export type Verified = boolean | 'unknown'

/** What would undo a call, as recorded before the call ran and completed with its answer. */
export type Rollback = { readonly says: string } & (
  | {
      readonly is: 'call'
      readonly tool: string
      readonly args: Json
      /** Placeholders that only the answer can fill. */
      readonly open: readonly string[]
    }
  | { readonly is: 'command'; readonly command: string }
  | { readonly is: 'unresolved' }
)

/** A question with its values filled in, for a read-only tool. */
export type PlannedReadBack = {
  /** The tool's own name on the call's server. */
  readonly tool: string
  readonly args: Json
  readonly expect: readonly Expectation[]
  /** The expectations as declared. */
  readonly expected: readonly string[]
}
