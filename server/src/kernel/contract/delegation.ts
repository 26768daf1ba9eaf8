import { z } from 'zod'
import { Proof } from '../identity/passkey.ts'
import { ChosenRoute } from './routes.ts'

export const DELEGATION_LIMITS = { for_s: 90 * 86_400, per_user: 20, live: 1_000 } as const

/** An approver's request to delegate. */
export const DelegationTerms = z.strictObject({
  /** The user who may decide in the caller's place. They need the approver role themselves. */
  to: z.string().min(1).max(128),
  for_s: z.int().positive().max(DELEGATION_LIMITS.for_s),
  reason: z.string().max(500).optional(),
})
export type DelegationTerms = z.infer<typeof DelegationTerms>
export const DelegateBody = DelegationTerms.extend(Proof.shape)

export const DelegationAnswer = z.object({
  delegation_id: z.string(),
  from: z.string(),
  to: z.string(),
  created_at: z.number(),
  until: z.number(),
  reason: z.string().optional(),
  ended_at: z.number().optional(),
})
export type DelegationAnswer = z.infer<typeof DelegationAnswer>

/** The active routes, as written, and the members of each group. */
export const RoutesAnswer = z.object({
  groups: z.record(z.string(), z.array(z.string())),
  routes: z.array(
    ChosenRoute.extend({ strength: z.enum(['simple', 'strong']), match: z.record(z.string(), z.unknown()) }),
  ),
})
export type RoutesAnswer = z.infer<typeof RoutesAnswer>
