import { z } from 'zod'
import { CallerKind } from './caller.ts'
import { RiskClass, ToolEffect } from './tool.ts'
import { Effect, Strength } from './verdict.ts'

const oneOrMore = <T extends z.ZodType>(item: T) => z.union([item.transform((one) => [one]), z.array(item).min(1)])

/** Globs (`*` any run of characters, `?` one) over names; a list matches when one of it does; all given fields must match. */
export const Match = z.strictObject({
  tool: oneOrMore(z.string().min(1)).optional(),
  server: oneOrMore(z.string().min(1)).optional(),
  /** Matches when the tool has at least one of them. */
  effects: oneOrMore(ToolEffect).optional(),
  risk: oneOrMore(RiskClass).optional(),
  caller: oneOrMore(z.string().min(1)).optional(),
  role: oneOrMore(CallerKind).optional(),
})
export type Match = z.infer<typeof Match>

export const Rule = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  effect: Effect,
  strength: Strength.optional(),
  match: Match.default({}),
  says: z.string().min(1).max(300),
})
export type Rule = z.infer<typeof Rule>

export const Preset = z.enum(['observe', 'careful', 'strict'])
export type Preset = z.infer<typeof Preset>

export const PolicyFile = z.strictObject({
  preset: Preset.default('careful'),
  rules: z.array(Rule).default([]),
})
export type PolicyFile = z.infer<typeof PolicyFile>
