import { z } from 'zod'

/** How many wrong credentials are looked at before an address has to wait. */
const Failures = z.strictObject({
  /** Of one address in one window. */
  per_address: z.int().min(1).max(1_000_000).default(30),
  /** Of all addresses together; beyond it one failure is too many for an address. */
  overall: z.int().min(1).max(1_000_000).default(1_000),
  window_s: z.int().min(1).max(86_400).default(60),
})

/** Who may speak to the gate over the network, besides holders of its own keys. */
export const Auth = z.strictObject({
  failures: Failures.prefault({}),
})
export type Auth = z.infer<typeof Auth>
