import { openEmbeddingModel } from '../../server/src/guests/search/embedding-model.ts'
import { createIndex } from '../../server/src/guests/search/create-index.ts'
import { fuseRanks } from '../../server/src/guests/search/fuse-ranks.ts'
import { meaningText } from '../../server/src/guests/search/searchable-tool.ts'
import { EmbeddingSettings } from '../../server/src/guests/search/section.ts'
import type { System } from './systems.ts'

const BATCH = 16
const POOL = 50
/** A small model on a busy machine is slow, and that is measured. */
const PATIENCE_MS = 300_000
const LONGEST_TEXT = 2_000

/** Ours with the embedding model at this address: what a gate does whose `search.embeddings` is set. */
export function byMeaning(url: string, model: string): System {
  return {
    open: () =>
      Promise.resolve(async (tools) => {
        const settings = EmbeddingSettings.parse({ provider: 'openai-compatible', url, model, timeout_ms: PATIENCE_MS })
        const opened = openEmbeddingModel(settings, '.')
        if (!opened.ok) throw new Error(opened.problem.code)
        const embed = async (texts: readonly string[]) => {
          const vectors = await opened.value.embed(texts.map((text) => text.slice(0, LONGEST_TEXT)))
          if (vectors === undefined) throw new Error(`no embeddings from ${url}`)
          return vectors
        }
        const index = createIndex()
        const vectors: Float32Array[] = []
        for (const tool of tools) index.add(tool)
        for (let from = 0; from < tools.length; from += BATCH)
          vectors.push(...(await embed(tools.slice(from, from + BATCH).map(meaningText))))
        return async (query, count) => {
          const [asked] = await embed([query])
          const near = vectors
            .map((vector, at) => ({ id: tools[at]?.id ?? '', likeness: dot(asked ?? vector, vector) }))
            .toSorted((a, b) => b.likeness - a.likeness)
            .slice(0, POOL)
            .map(({ id }) => id)
          return fuseRanks(index.search(query, POOL), near, count, settings.weight).map(({ id }) => id)
        }
      }),
  }
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
