import { z } from 'zod'

/**
 * The key among a call's arguments for its secrets: by JSON pointer, the name of the secret that replaces the text there when the
 * call is sent. The hash covers the names; the values exist only in what is sent.
 */
export const SECRETS_KEY = 'sluice/secrets'

export const CallSecrets = z.record(z.string().regex(/^(?:\/[^/]*)+$/), z.string().min(1).max(128))
export type CallSecrets = z.infer<typeof CallSecrets>
