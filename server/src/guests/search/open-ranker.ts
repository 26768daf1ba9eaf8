import { join } from 'node:path'
import { sha256Hex } from '../../adapters/keys/digest.ts'
import type { Config } from '../../kernel/contract/config.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import type { OpenRanker, RankedTool, RankerPorts, Ranker, ToolQuery } from '../../kernel/ports/ranker.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import type { Hit } from './create-index.ts'
import { openEmbeddingModel, type Embedder, openVectors } from './embedding-model.ts'
import { fuseRanks } from './fuse-ranks.ts'
import { byHabit, openHabits, type SearchHabits } from './habits.ts'
import { toolText, type SearchableTool } from './searchable-tool.ts'
import { openSemanticSearch, type SemanticSearch } from './semantic-search.ts'
import { splitText } from './split-text.ts'
import { stem } from './stem.ts'
import { openWordIndex, searchable } from './word-index.ts'

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
