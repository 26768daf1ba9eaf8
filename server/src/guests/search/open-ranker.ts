import { join } from 'node:path'
import { sha256Hex } from '../../adapters/keys/digest.ts'
import type { Config } from '../../kernel/contract/config.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { type Tool, inForce } from '../../kernel/contract/tool.ts'
import type { OpenRanker, RankedTool, RankerPorts, Ranker, ToolQuery } from '../../kernel/ports/ranker.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import type { Hit } from './create-index.ts'
import { openEmbeddingModel, type Embedder, openVectors, type Vectors } from './embedding-model.ts'
import { fuseRanks } from './fuse-ranks.ts'
import { byHabit, openHabits, type SearchHabits } from './habits.ts'
import { toolText, type SearchableTool, meaningText } from './searchable-tool.ts'
import { splitText } from './split-text.ts'
import { stem } from './stem.ts'
import { openWordIndex, searchable } from './word-index.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'

/** How many hits of two ranked lists are considered before they are merged. */
const POOL = 50

/** Search by words; by meaning too, if a model is configured; and by what the caller ran before, if learning is. */
export function rankerFor({ search }: Pick<Config, 'search'>, folder: string): Result<OpenRanker> {
  const model = search.embeddings && openEmbeddingModel(search.embeddings, folder)
  if (model?.ok === false) return model
  return ok(async (ports) => {
    const { embeddings } = search
    const meaning =
      model === undefined || embeddings === undefined
        ? undefined
        : openSemanticSearch({
            ...ports,
            embedder: redactedEmbedder(model.value, ports),
            // Vectors of two models cannot be compared.
            vectors: await openVectors(
              join(ports.cache, `${sha256Hex(`${embeddings.url} ${embeddings.model}`).slice(0, 16)}.txt`),
            ),
            weight: embeddings.weight,
          })
    return rankerOf(ports, meaning, search.learn ? openHabits(ports) : undefined)
  })
}

export const prepareSearch: PrepareGuest = ({ config, folder }) => {
  const opening = rankerFor(config, folder)
  return opening.ok ? ok({ ports: { openRanker: opening.value } }) : opening
}

/** No request to the model contains one of the gate's own credentials. */
const redactedEmbedder = (embedder: Embedder, { redact }: RankerPorts): Embedder => ({
  embed: (texts) => embedder.embed(redact(texts)),
})

function rankerOf(ports: RankerPorts, meaning: SemanticSearch | undefined, habits: SearchHabits | undefined): Ranker {
  const { catalogue } = ports
  const words = openWordIndex({ ...ports, tool: (tool_id) => catalogue.tool(tool_id) })

  async function rank({ query, top_k, counts, learns_of }: ToolQuery): Promise<readonly RankedTool[]> {
    const own = learns_of === undefined ? undefined : await habits?.of(learns_of)
    const meanings = await meaning?.nearest(query, POOL, counts)
    const wide = own === undefined && meanings === undefined ? top_k : POOL
    const byWords = await words.search(query, wide, counts)
    const found = meanings === undefined ? byWords : fuseRanks(byWords, meanings, wide, meaning?.weight ?? 1)
    const hits = (own === undefined ? found : byHabit(found, own, query)).slice(0, top_k)
    if (learns_of !== undefined)
      habits?.searched(
        learns_of,
        query,
        hits.map(({ id }) => id),
      )
    return hits.flatMap(({ id, score_hint, reason }) => {
      const tool = catalogue.tool(id)
      return tool === undefined ? [] : [{ tool_id: id, score_hint, reason: spell(reason, tool) }]
    })
  }

  return {
    changed: (before, tool) => words.changed(before, tool),
    readSoon: () => words.readSoon(),
    rank,
    notice: () => meaning?.notice(),
    // Learning happens in the background, and a failure to store it does not fail the call.
    ...(habits && { executed: (caller, tool_id) => void habits.ran(caller, tool_id).catch(() => undefined) }),
  }
}

function spell({ fields, terms, related = [], habit }: Hit['reason'], tool: Tool): string {
  const forms = wordForms(searchable(tool), new Set(related.map(({ term }) => term)))
  const others = related.map(({ word, term }) => `${forms.get(term) ?? term} (related to ${word})`)
  const words =
    fields.length === 0 ? 'similar in meaning' : `${[...terms, ...others].join(', ')} in ${fields.join(', ')}`
  return habit === true ? `${words}; run after a similar search` : words
}

/** The words of a tool that have these terms, each in the form that comes first: `messag` is `messages`. */
function wordForms(tool: SearchableTool, terms: ReadonlySet<string>): ReadonlyMap<string, string> {
  const forms = new Map<string, string>()
  for (const field of Object.values(toolText(tool)))
    for (const { text } of forms.size === terms.size ? [] : splitText(field)) {
      const term = stem(text)
      if (terms.has(term) && !forms.has(term)) forms.set(term, text)
    }
  return forms
}

type SemanticSearchPorts = {
  readonly catalogue: Pick<Catalogue, 'tools'>
  readonly embedder: Embedder
  readonly vectors: Vectors
  readonly clock: Clock
  readonly pause: (ms: number) => Promise<void>
  readonly weight: number
}

/** Search by meaning, in addition to search by words. If it gives no answer, words alone are enough. */
interface SemanticSearch {
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

function openSemanticSearch({
  catalogue,
  embedder,
  vectors,
  clock,
  pause,
  weight,
}: SemanticSearchPorts): SemanticSearch {
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
