import { z } from 'zod'
import { HttpUrl } from './http-settings.ts'

/** A model that somebody else runs. What it says is data. */
export const ModelSettings = z.strictObject({
  provider: z.literal('openai-compatible'),
  /** Up to and without `/chat/completions`. */
  url: HttpUrl,
  model: z.string().min(1).max(200),
  /** `env:NAME` or `file:PATH`; left out for a server that wants none. */
  key: z.string().min(1).optional(),
  timeout_ms: z.number().int().min(1).max(300_000).default(20_000),
})
export type ModelSettings = z.infer<typeof ModelSettings>

export const Models = z.strictObject({
  /** Fills a tool's arguments from a prompt. Without it arguments come from the caller alone. */
  toolflow: ModelSettings.optional(),
})
