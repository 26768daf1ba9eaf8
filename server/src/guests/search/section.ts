import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { ModelSettings } from '../../kernel/contract/models.ts'

/** A model that turns texts into vectors. */
export const EmbeddingSettings = z.strictObject({
  ...ModelSettings.shape,
  /** How much its ranking counts if the search by words has no clear result; 1 gives both the same weight. */
  weight: z.number().min(0.1).max(3).default(0.5),
})

export const SearchSettings = z.strictObject({
  /** Also finds tools by meaning. Their texts and every query are sent there; if it gives no answer, only words count. */
  embeddings: EmbeddingSettings.optional(),
  /** Ranks tools higher that the same caller ran after similar queries. Stores the stems of those queries in the ledger. */
  learn: z.boolean().default(false),
})
export type SearchSettings = z.infer<typeof SearchSettings>

declare module '../../kernel/contract/config.ts' {
  interface Config {
    search: SearchSettings
  }
}

export const section: ConfigSection = { top: { search: { rank: 960, schema: SearchSettings.prefault({}) } } }
