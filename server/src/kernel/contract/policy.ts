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
  /** The tool's id, `server__tool`. */
  tool: globs.optional(),
  server: globs.optional(),
  /** Matches if the tool has at least one of them. */
  effects: oneOrMore(ToolEffect).optional(),
  risk: oneOrMore(RiskClass).optional(),
  /** The operator's tags for a tool; matches if the tool has one of them. */
  tag: globs.optional(),
  /** The caller's id, `kind:name`. */
  caller: globs.optional(),
  /** The caller's user. */
  user: globs.optional(),
  role: oneOrMore(CallerKind).optional(),
  /** The model lane of the calling run; a call without one matches no lane. */
  lane: globs.optional(),
})
export type Match = z.infer<typeof Match>

export const Rule = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  effect: Effect,
  /** Only for `ask`; without it the ask is simple. */
  strength: Strength.optional(),
  /** Requires a dry run before the call runs, if the tool has one; a failing one stops the call. Not for `block`. */
  preview: z.boolean().optional(),
  match: Match.default({}),
  /** A condition in the CEL subset of docs/policy.md. One that cannot be evaluated blocks. */
  when: z.string().min(1).max(2000).optional(),
  says: z.string().min(1).max(300),
})
export type Rule = z.infer<typeof Rule>

export const Preset = z.enum(['observe', 'careful', 'strict'])
export type Preset = z.infer<typeof Preset>

export const PolicyFile = z.strictObject({
  preset: Preset.default('careful'),
  rules: z.array(Rule).max(10_000).default([]),
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
export type PolicyNotice = {
  readonly code: 'policy.refused'
  readonly at: number
  readonly says: string
  /** The version that stays active. */
  readonly in_force: string
  /** The version that was rejected; absent if there was no text to read. */
  readonly refused?: string
  readonly faults: readonly PolicyFault[]
}
