import { z } from 'zod'
import { CallerKind } from './caller.ts'
import { RiskClass, ToolEffect } from './tool.ts'
import { Effect, Strength } from './verdict.ts'

const oneOrMore = <T extends z.ZodType>(item: T) => z.union([item.transform((one) => [one]), z.array(item).min(1)])
const globs = oneOrMore(z.string().min(1).max(128))

/**
 * Globs (`*` any number of characters, `?` one) over names; a list matches if one of its patterns does; all given fields must
 * match.
 */
export const Match = z.strictObject({
  tool: globs.optional().describe('Tool ids, as globs: `mail__*`.'),
  server: globs.optional().describe('Names of tool servers, as globs.'),
  effects: oneOrMore(ToolEffect).optional().describe('Effects of the tool; one match is enough.'),
  risk: oneOrMore(RiskClass).optional().describe('Risk classes: `low`, `medium`, `high`, `critical`.'),
  tag: globs.optional().describe('Tags that you gave the tool.'),
  /** The caller's id, `kind:name`. */
  caller: globs.optional().describe('Callers, as globs: `agent:claude`.'),
  user: globs.optional().describe('The users of the callers, as globs.'),
  role: oneOrMore(CallerKind).optional().describe('Kinds of callers: `agent`, `user` and so on.'),
  /** The model lane of the calling run; a call without one matches no lane. */
  lane: globs.optional().describe('Model lanes, as globs.'),
})
export type Match = z.infer<typeof Match>

export const Rule = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/)
    .describe('A name for the rule, shown in the evidence.'),
  effect: Effect.describe('`allow`, `ask` or `block`.'),
  /** Only for `ask`; without it the ask is simple. */
  strength: Strength.optional().describe('For `ask`: `simple`, `strong` or `two_person`.'),
  /** Requires a dry run before the call runs, if the tool has one; a failing one stops the call. Not for `block`. */
  preview: z.boolean().optional().describe('Requires a dry run first, if the tool has one.'),
  match: Match.default({}).describe('Which calls the rule applies to; all given fields must match.'),
  /** A condition in the CEL subset of docs/policy.md. One that cannot be evaluated blocks. */
  when: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe('A condition in CEL over `args`, `tool`, `caller`, `session`, `labels`, `time`.'),
  says: z.string().min(1).max(300).describe('The reason, shown to people and agents.'),
})
export type Rule = z.infer<typeof Rule>

export const Preset = z.enum(['observe', 'careful', 'strict'])
export type Preset = z.infer<typeof Preset>

export const PolicyFile = z.strictObject({
  preset: Preset.default('careful').describe(
    'The preset that decides if no rule matches: `careful`, `strict` or `observe`.',
  ),
  rules: z.array(Rule).max(10_000).default([]).describe('Your own rules; the strictest matching rule decides.'),
})
export type PolicyFile = z.infer<typeof PolicyFile>

/** One mistake in a policy file: where it is, what is wrong and what to write instead. */
export const PolicyFault = z.strictObject({
  file: z.string(),
  line: z.number().int(),
  column: z.number().int(),
  says: z.string(),
  instead: z.string(),
})
export type PolicyFault = z.infer<typeof PolicyFault>

/** Shown at every door as long as it applies: the newest policy on disk was rejected, and an older one is active. */
export type PolicyWarning = {
  readonly code: 'policy.refused'
  readonly at: number
  readonly says: string
  /** The version that stays active. */
  readonly in_force: string
  /** The version that was rejected; absent if there was no text to read. */
  readonly refused?: string
  readonly faults: readonly PolicyFault[]
}
