import { z } from 'zod'
import { ChosenRoute } from './routes.ts'

export const Effect = z.enum(['allow', 'ask', 'block'])
export type Effect = z.infer<typeof Effect>

/** How many people must approve and how well they must prove their identity, weakest first. */
export const STRENGTHS = ['simple', 'strong', 'two_person'] as const
export const Strength = z.enum(STRENGTHS)
export type Strength = z.infer<typeof Strength>

/** One decider's opinion. The same value is stored in the audit, shown to the approver and returned to the caller. */
export const Opinion = z.strictObject({
  decider: z.string(),
  effect: Effect,
  rule: z.string(),
  /** A sentence for people. Names ids and limits, never argument values. */
  says: z.string(),
  /** Where the rule or the fact comes from: a file and line, a preset, a server. */
  source: z.string(),
  at: z.number(),
  strength: Strength.optional(),
  /** The argument it is about: a JSON pointer. */
  value_at: z.string().optional(),
  /** The call whose output caused it. */
  from_call: z.string().optional(),
  /** The rule requires a dry run first. */
  preview: z.literal(true).optional(),
  /** The approver must give their passphrase, whatever the configuration says. */
  proof: z.literal('passphrase').optional(),
})
export type Opinion = z.infer<typeof Opinion>
export const NO_OPINIONS: readonly Opinion[] = []

export const Verdict = z.strictObject({
  effect: Effect,
  /** Required for `ask`: the greatest strength that any asking opinion wants. */
  strength: Strength.optional(),
  evidence: z.array(Opinion).readonly(),
  /** For an ask: who is asked, if a route of the operator applies. */
  route: ChosenRoute.optional(),
  /** In observe mode: what would have happened. */
  observed: Effect.optional(),
})
export type Verdict = z.infer<typeof Verdict>
