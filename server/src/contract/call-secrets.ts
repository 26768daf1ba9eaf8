import { z } from 'zod'

/**
 * Where the secrets of a call stand among its arguments: by JSON pointer, the name of the secret that takes the place of the text
 * there when the call is sent. The hash covers the names; the values are nowhere but in what is sent.
 */
export const SECRETS_KEY = 'sluice/secrets'

export const CallSecrets = z.record(z.string().regex(/^(?:\/[^/]*)+$/), z.string().min(1).max(128))
export type CallSecrets = z.infer<typeof CallSecrets>
