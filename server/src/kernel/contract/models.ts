import { z } from 'zod'
import { HttpUrl } from './http-settings.ts'

/** The lane of models that every gate has. */
export const DEFAULT_LANE = 'local_default'

export const ModelTimeout = z.number().int().min(1).max(300_000)

/** A model run by somebody else. Its answers are data. */
export const ModelSettings = z.strictObject({
  provider: z.literal('openai-compatible').describe('The API it uses.'),
  /** Without `/chat/completions`. */
  url: HttpUrl.describe('The base address of the API.'),
  model: z.string().min(1).max(200).describe('The name of the model.'),
  /** `env:NAME` or `file:PATH`; omitted if the server needs none. */
  key: z.string().min(1).optional().describe('The API key, as `env:NAME` or `file:PATH`.'),
  timeout_ms: ModelTimeout.default(20_000).describe('How long one answer may take, in milliseconds.'),
})
export type ModelSettings = z.infer<typeof ModelSettings>
