import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { ModelSettings } from '../../kernel/contract/models.ts'

/** A model that turns texts into vectors. */
export const EmbeddingSettings = z.strictObject({
  ...ModelSettings.shape,
  weight: z
    .number()
    .min(0.1)
    .max(3)
    .default(0.5)
    .describe(
      "How much the model's ranking counts if the search by words has no clear result; 1 gives both the same weight. Raise it for a strong model.",
    ),
})

export const SearchSettings = z.strictObject({
  /** Also finds tools by meaning. Their texts and every query are sent there; if it gives no answer, only words count. */
  embeddings: EmbeddingSettings.optional().describe(
    'A model for searching by meaning. The descriptions of the tools and all queries are sent to it.',
  ),
  learn: z.boolean().default(false).describe('Ranks tools higher that the same caller ran after similar queries.'),
})
export type SearchSettings = z.infer<typeof SearchSettings>

declare module '../../kernel/contract/config.ts' {
  interface Config {
    search: SearchSettings
  }
}

export const section: ConfigSection = {
  top: { search: { rank: 960, schema: SearchSettings.prefault({}).describe('How tools are found.') } },
}
