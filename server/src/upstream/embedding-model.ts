import type { Embedder } from '../commands/ports/embeddings.ts'
import type { ModelSettings } from '../contract/models.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { secretOf } from './server-config.ts'

/** An embedding model behind an OpenAI-compatible API. The library is loaded with the first question. */
export function openEmbeddingModel(settings: ModelSettings, folder: string): Result<Embedder> {
  const key = settings.key === undefined ? undefined : secretOf(settings.key, folder, process.env)
  if (settings.key !== undefined && key === undefined)
    return refuse('config.invalid', { paths: 'search.embeddings.key: the secret is missing' })
  return ok({
    async embed(texts) {
      try {
        const [{ embedMany }, { createOpenAICompatible }] = await Promise.all([
          import('ai'),
          import('@ai-sdk/openai-compatible'),
        ])
        const provider = createOpenAICompatible({
          name: 'search',
          baseURL: settings.url,
          ...(key === undefined ? {} : { apiKey: key }),
        })
        const { embeddings } = await embedMany({
          model: provider.embeddingModel(settings.model),
          values: [...texts],
          maxRetries: 0,
          abortSignal: AbortSignal.timeout(settings.timeout_ms),
        })
        const [first] = embeddings
        const isWhole = embeddings.length === texts.length && embeddings.every(({ length }) => length === first?.length)
        return isWhole ? embeddings.map(unit) : undefined
      } catch {
        // Whatever failed, search by words is enough; the notice says that search by meaning is unavailable.
        return undefined
      }
    },
  })
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, (part) => (length > 0 && Number.isFinite(length) ? part / length : 0))
}
