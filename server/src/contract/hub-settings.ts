import { z } from 'zod'
import { NodeName } from './hub.ts'
import { HttpUrl } from './http-settings.ts'

const Reference = z.string().regex(/^(?:env|file):.+$/, 'write a secret as env:NAME or file:PATH')

/** Of a node: the hub at which its approvals are decided. */
export const HubSettings = z.strictObject({
  url: HttpUrl,
  /** What this node is called there: the name of its key. */
  node: NodeName,
  /** Its key of kind `node`. */
  key: Reference,
  /** The hub's public keys, from `sluice hub key`. More than one while the hub changes its key. */
  public_keys: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, 'a public key has 64 hex digits'))
    .min(1)
    .max(8),
  /** So long a held call waits for the hub to confirm that it has the request; then it is refused. */
  answer_s: z.int().min(1).max(86_400).default(60),
})
export type HubSettings = z.infer<typeof HubSettings>
