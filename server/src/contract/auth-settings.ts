import { z } from 'zod'

/** How many wrong credentials are looked at before an address has to wait. */
const Failures = z.strictObject({
  /** Of one address in one window. */
  per_address: z.int().min(1).max(1_000_000).default(30),
  /** Of all addresses together; beyond it one failure is too many for an address. */
  overall: z.int().min(1).max(1_000_000).default(1_000),
  window_s: z.int().min(1).max(86_400).default(60),
})

/** How much a stranger may ask of the listener before anybody knows who they are. */
export const ListenLimits = z.strictObject({
  /** Open at once; beyond it the one that was quiet for the longest time is closed. */
  connections: z.int().min(1).max(1_000_000).default(4_096),
  /** For the headers of a request to arrive. */
  headers_ms: z.int().min(100).max(600_000).default(10_000),
  /** For a whole request to arrive. */
  request_ms: z.int().min(100).max(600_000).default(30_000),
  header_bytes: z.int().min(1_024).max(1_048_576).default(16_384),
})
export type ListenLimits = z.infer<typeof ListenLimits>

/** Who may speak to the gate over the network, besides holders of its own keys. */
export const Auth = z.strictObject({
  failures: Failures.prefault({}),
})
export type Auth = z.infer<typeof Auth>
