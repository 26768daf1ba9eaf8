import { z } from 'zod'
import { ChosenRoute } from './routes.ts'

export const Effect = z.enum(['allow', 'ask', 'block'])
export type Effect = z.infer<typeof Effect>

/** How many and how sure the people behind an approval must be, weakest first. */
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
  /** The call whose output brought it up. */
  from_call: z.string().optional(),
  /** The rule wants a dry run first. */
  preview: z.literal(true).optional(),
  /** The person who approves gives their passphrase, whatever the configuration says. */
  proof: z.literal('passphrase').optional(),
})
export type Opinion = z.infer<typeof Opinion>

export const Verdict = z.strictObject({
  effect: Effect,
  /** Needed for `ask`: the strongest that any asking opinion wants. */
  strength: Strength.optional(),
  evidence: z.array(Opinion).readonly(),
  /** Of an ask: who is asked, where a route of the operator says so. */
  route: ChosenRoute.optional(),
  /** In observe mode: what would have happened. */
  observed: Effect.optional(),
})
export type Verdict = z.infer<typeof Verdict>

/** Rules about the gate's own files and credentials. A block of theirs stands in every mode and is a critical finding. */
export const OWN_GROUND: ReadonlySet<string> = new Set([
  'sandbox.gate_data',
  'sandbox.gate_settings',
  'sandbox.gate_around',
  'content.own_credential',
])
