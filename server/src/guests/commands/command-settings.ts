import { z } from 'zod'
import { partsOf, placeholdersIn } from './command-template.ts'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import type { OfKind, ServerKindSettings } from '../../kernel/contract/server-settings.ts'
import { RunAsUser, ToolKeys, type ToolSettings } from '../../kernel/contract/tool-settings.ts'

const Pattern = z
  .string()
  .max(1_000)
  .refine((text) => {
    try {
      return new RegExp(text, 'u') instanceof RegExp
    } catch {
      return false
    }
  }, 'not a regular expression')

const SCALAR = {
  description: z.string().max(2_000).optional().describe('What it is, for the model.'),
  enum: z
    .array(z.union([z.string(), z.number()]))
    .min(1)
    .max(200)
    .optional()
    .describe('The allowed values.'),
  pattern: Pattern.optional().describe('A regular expression that a string must match.'),
  minLength: z.number().int().min(0).optional().describe('Minimum length of a string.'),
  maxLength: z.number().int().min(0).optional().describe('Maximum length of a string.'),
  minimum: z.number().optional().describe('The minimum.'),
  maximum: z.number().optional().describe('The maximum.'),
}

/** One parameter, in terms of JSON Schema. A string has at least one character unless `minLength` says otherwise. */
export const CommandParam = z.strictObject({
  type: z
    .enum(['string', 'integer', 'number', 'boolean', 'array'])
    .default('string')
    .describe('`string`, `number`, `integer`, `boolean` or `array`.'),
  ...SCALAR,
  /** For an array: each item becomes one argument of the program. */
  items: z
    .strictObject({
      type: z
        .enum(['string', 'integer', 'number'])
        .default('string')
        .describe('`string`, `number`, `integer`, `boolean` or `array`.'),
      ...SCALAR,
    })
    .optional()
    .describe('The type of the list items.'),
  minItems: z.number().int().min(0).optional().describe('Minimum length of a list.'),
  maxItems: z.number().int().min(1).max(10_000).optional().describe('Maximum length of a list.'),
  required: z.boolean().default(true).describe('Whether it is required.'),
  /** Used if the argument is omitted. A parameter with a default is optional. */
  default: z.union([z.string(), z.number(), z.boolean()]).optional().describe('The default value.'),
  /** Accepts values that start with `-` even if the program could read them as an option. */
  dash: z.boolean().default(false).describe('Whether a value may start with `-`, like an option.'),
})
export type CommandParam = z.infer<typeof CommandParam>

const ParamName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, 'a parameter name has only letters, digits and `_`')
const CommandName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'a command name has only letters, digits, `_`, `.` and `-`')

/** One program with fixed arguments. Never a shell: the value of a placeholder is one argument, whatever it contains. */
const CommandKeys = z.strictObject({
  description: z.string().min(1).max(10_000).describe('What it does, for the model.'),
  run: z
    .array(z.union([z.string(), z.array(z.string()).min(1)]))
    .min(1)
    .describe('The program and its arguments, with `{{name}}` for parameters.'),
  params: z.record(ParamName, CommandParam).default({}).describe('The parameters, by name.'),
  stdin: z.string().optional().describe('The standard input of the program, with `{{name}}` for parameters.'),
  output: z.enum(['text', 'json']).default('text').describe('Whether the output is text or JSON.'),
  exit_ok: z.array(z.number().int().min(0).max(255)).min(1).default([0]).describe('Exit codes that mean success.'),
  /** Instead of the server's. */
  timeout_ms: z.number().int().min(1).max(3_600_000).optional().describe('How long it may run, in milliseconds.'),
})
export type CommandSettings = ToolSettings & z.infer<typeof CommandKeys>

type Templates = {
  readonly run: readonly (string | readonly string[])[]
  readonly stdin?: string | undefined
  readonly params: Readonly<Record<string, CommandParam>>
}
type Fault = { readonly path: PropertyKey[]; readonly message: string }

/** Rejects templates that could never be filled when the file is read. */
function faultsOf({ run, stdin, params }: Templates): Fault[] {
  const texts = run.flatMap((element, at) =>
    typeof element === 'string'
      ? [{ text: element, path: ['run', at] as PropertyKey[] }]
      : element.map((text, inner) => ({ text, path: ['run', at, inner] as PropertyKey[] })),
  )
  if (stdin !== undefined) texts.push({ text: stdin, path: ['stdin'] })
  const used = new Set(texts.flatMap(({ text }) => placeholdersIn(text)))
  const faults = texts.flatMap(({ text, path }) => faultIn(text, params).map((message) => ({ path, message })))
  const [program] = run
  if (typeof program !== 'string' || placeholdersIn(program).length > 0 || program === '')
    faults.push({ path: ['run', 0], message: 'the program itself cannot be a parameter' })
  for (const [name, param] of Object.entries(params)) {
    if (!used.has(name))
      faults.push({ path: ['params', name], message: `this parameter is never used: write \`{${name}}\` in \`run\`` })
    if ((param.type === 'array') !== (param.items !== undefined))
      faults.push({
        path: ['params', name],
        message: '`type: array` requires `items`, and `items` requires `type: array`',
      })
  }
  return faults
}

function faultIn(text: string, params: Templates['params']): string[] {
  const parts = partsOf(text)
  if (parts === undefined) return ['a placeholder is `{name}`; write `{{` and `}}` for braces']
  return parts.flatMap((part) => {
    if (part.is === 'text') return []
    const param = Object.hasOwn(params, part.name) ? params[part.name] : undefined
    if (param === undefined) return [`\`${part.name}\` is not in \`params\``]
    if (part.is === 'when' && (param.type !== 'boolean' || parts.length > 1))
      return [`\`{?${part.name}}\` must be a separate argument, and its parameter a boolean`]
    if (param.type === 'array' && parts.length > 1)
      return [`\`{${part.name}}\` is a list, so it must be a separate argument`]
    return []
  })
}

/** Programs on this machine as tools. They share a folder and an environment. */
const Commands = z.strictObject({
  cwd: z.string().min(1).optional().describe("Its working directory; by default this file's folder."),
  user: RunAsUser.optional().describe('The operating system user to run it as.'),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
    .default({})
    .describe(
      'Environment variables for it, in addition to a minimal environment. `env:NAME` and `file:PATH` refer to a secret.',
    ),
})
export type CommandsSettings = z.infer<typeof Commands> &
  OfKind<'commands'> & { commands: Record<string, CommandSettings> }

declare module '../../kernel/contract/server-settings.ts' {
  interface ServerKinds {
    commands: CommandsSettings
  }
}

/** The settings of one command, with those of every tool. */
export const commandSchema = (tool: z.ZodObject): z.ZodType<CommandSettings> =>
  tool
    .extend({
      ...CommandKeys.shape,
      shell: ToolKeys.shape.shell.describe(
        'The parameter that is a shell command: each call is judged by what its command does.',
      ),
    })
    .superRefine((command, context) => {
      for (const { path, message } of faultsOf(command as unknown as CommandSettings))
        context.addIssue({ code: 'custom', path, message })
    }) as unknown as z.ZodType<CommandSettings>

const commandsKind: ServerKindSettings<'commands'> = {
  key: 'commands',
  rank: 220,
  says: 'commands to run',
  keys: ({ tool }) => ({
    commands: z
      .record(CommandName, commandSchema(tool))
      .describe('Programs on this machine as tools, by name. They run without a shell.'),
    ...Commands.shape,
  }),
  toolsKey: 'commands',
  finish: (schema) => schema.transform((settings) => ({ ...settings, tools: settings['commands'] })),
  reach: ({ commands }) => ({
    programs: Object.entries(commands).map(([tool, { run }]) => ({ words: run.flat(), tool })),
  }),
}

export const section: ConfigSection = { kinds: [commandsKind] }
