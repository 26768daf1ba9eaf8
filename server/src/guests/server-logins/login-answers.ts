import { z } from 'zod'

export const ServerLoginAnswer = z.object({
  url: z.string(),
  authorization_url: z.string(),
  issuer: z.string(),
  began_at: z.number(),
  expires_at: z.number(),
})
export const ServerLoginStatusAnswer = z.object({
  server: z.string(),
  user: z.string().optional(),
  state: z.enum(['logged_in', 'needed', 'none']),
  issuer: z.string().optional(),
  scope: z.string().optional(),
  logged_in_at: z.number().optional(),
  expires_at: z.number().optional(),
  renews: z.boolean().optional(),
  why: z.string().optional(),
  waiting_until: z.number().optional(),
})
/** Who is logged in now: no user for the gate's own login. */
export const ServerLoginSlotAnswer = z.object({ server: z.string(), user: z.string().optional() })
export const ServerLogoutAnswer = z.object({ revoked: z.boolean() })
/** Where the browser goes next, and what it proves at the end that it is the same. */
export const ContinuedLoginAnswer = z.object({ url: z.string(), secret: z.string() })
export const ToolLoginDoneAnswer = z.object({ title: z.string(), says: z.array(z.string()) })
