import { z } from 'zod'
import { HttpUrl } from './http-settings.ts'

/** The lane of models that every gate has. */
export const DEFAULT_LANE = 'local_default'

export const ModelTimeout = z.number().int().min(1).max(300_000)

/** A model run by somebody else. Its answers are data. */
export const ModelSettings = z.strictObject({
  provider: z.literal('openai-compatible'),
  /** Without `/chat/completions`. */
  url: HttpUrl,
  model: z.string().min(1).max(200),
  /** `env:NAME` or `file:PATH`; omitted if the server needs none. */
  key: z.string().min(1).optional(),
  timeout_ms: ModelTimeout.default(20_000),
})
export type ModelSettings = z.infer<typeof ModelSettings>
