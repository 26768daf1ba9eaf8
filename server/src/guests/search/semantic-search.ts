import { inForce, type Tool } from '../../kernel/contract/tool.ts'
import { meaningText } from './searchable-tool.ts'
import { searchable } from './word-index.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { Embedder, Vectors } from './embedding-model.ts'

export type SemanticSearchDeps = {
  readonly catalogue: Pick<Catalogue, 'tools'>
  readonly embedder: Embedder
  readonly vectors: Vectors
  readonly clock: Clock
  readonly pause: (ms: number) => Promise<void>
  readonly weight: number
}

/** Search by meaning, in addition to search by words. If it gives no answer, words alone are enough. */
export interface SemanticSearch {
  /** How much it counts against the words, as configured. */
  readonly weight: number
  /** The ids that are nearest in meaning, best first; undefined if not available. */
  nearest(query: string, count: number, counts: (tool: Tool) => boolean): Promise<readonly string[] | undefined>
  /** Set while the model is unavailable. */
  notice(): string | undefined
}

/** Small, so that a slow model answers each request within its timeout and what it has answered is stored. */
const BATCH = 16
/** A model that did not answer is not asked again for this long. */
const REST_MS = 30_000
/** A search waits no longer than this for the model, whatever the model's own timeout is. */
const PATIENCE_MS = 1_000
const LONGEST_TEXT = 2_000
const DOWN = 'the embedding model does not answer; search uses words only'

export function openSemanticSearch({
  catalogue,
  embedder,
  vectors,
  clock,
  pause,
  weight,
}: SemanticSearchDeps): SemanticSearch {
  let restUntil = 0
  let filling: Promise<void> | undefined

  async function ask(texts: readonly string[]): Promise<readonly Float32Array[] | undefined> {
    if (clock() < restUntil) return undefined
    const answer = await embedder.embed(texts)
    restUntil = answer === undefined ? clock() + REST_MS : 0
    return answer
  }

  /** The vector of a query. If the model is late, it is not asked for a while, so that the next searches do not wait for it. */
  async function vectorOf(query: string): Promise<Float32Array | undefined> {
    const late = 'late' as const
    const answer = await Promise.race([ask([query.slice(0, LONGEST_TEXT)]), pause(PATIENCE_MS).then(() => late)])
    if (answer !== late) return answer?.[0]
    restUntil = clock() + REST_MS
    return undefined
  }

  /** INVARIANT: a definition is sent to the model once, however often its server reconnects. */
  async function fill(missing: readonly Tool[]): Promise<void> {
    for (let from = 0; from < missing.length; from += BATCH) {
      const batch = missing.slice(from, from + BATCH)
      const answer = await ask(batch.map(textOf))
      if (answer === undefined) return
      await vectors.put(
        batch.flatMap(({ row }, at) => {
          const vector = answer[at]
          return vector === undefined ? [] : [{ hash: inForce(row).hash, vector }]
        }),
      )
    }
  }

  return {
    weight,
    async nearest(query, count, counts) {
      const tools = catalogue.tools().filter(isOffered)
      const missing = tools.filter(({ row }) => vectors.get(inForce(row).hash) === undefined)
      // A search does not wait for the whole catalogue: tools without a vector yet are found by their words.
      if (missing.length > 0) filling ??= fill(missing).finally(() => (filling = undefined))
      if (missing.length === tools.length) await Promise.race([filling, pause(PATIENCE_MS)])
      const asked = await vectorOf(query)
      if (asked === undefined) return undefined
      const near = tools.flatMap((tool) => {
        const vector = vectors.get(inForce(tool.row).hash)
        // A vector of another size cannot be compared, for example after the model was replaced.
        return vector?.length === asked.length ? [{ tool, likeness: dot(asked, vector) }] : []
      })
      near.sort((a, b) => b.likeness - a.likeness)
      const found: string[] = []
      for (const { tool } of near) {
        if (found.length >= count) break
        if (counts(tool)) found.push(tool.row.tool_id)
      }
      return found
    },
    notice: () => (restUntil > 0 ? DOWN : undefined),
  }
}

/** A definition that is not admitted is sent to no model. */
const isOffered = ({ row }: Tool): boolean => row.gone_at === undefined && row.admitted !== undefined

const textOf = (tool: Tool): string => meaningText(searchable(tool)).slice(0, LONGEST_TEXT)

/** The cosine similarity of vectors of length 1. */
function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}
