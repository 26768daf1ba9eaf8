import type { Caller } from '../../contract/caller.ts'
import { ok, refuse, type Result } from '../../contract/problems.ts'
import type { Tool } from '../../contract/tool.ts'
import type { Hit } from '../../core/search/create-index.ts'
import { fuseRanks } from '../../core/search/fuse-ranks.ts'
import { byHabit } from '../../core/search/habits.ts'
import { titleOf } from '../../core/search/card.ts'
import { wordForms } from '../../core/search/word-forms.ts'
import { markedText } from '../../contract/visible-text.ts'
import type { LiveCatalogue } from './catalogue.ts'
import type { SearchHabits } from './search-habits.ts'
import type { SemanticSearch } from './semantic-search.ts'
import type { VisibleTools } from './visible-tools.ts'
import { searchable } from './word-index.ts'

export type SearchDeps = {
  readonly catalogue: Pick<LiveCatalogue, 'tool' | 'search'>
  readonly visibleTools: VisibleTools
  /** Set if an embedding model is configured. */
  readonly meaning?: SemanticSearch
  /** Set if learning from callers is configured. */
  readonly habits?: SearchHabits
}

/** A tool that was found. Title, tags and id come from the tool server and the operator: data, never instructions. */
export type FoundTool = {
  readonly skill_id: string
  readonly title: string
  /** 0 to 1: about how often a tool that matches a query this well is the intended one. */
  readonly score_hint: number
  readonly tags: readonly string[]
  /** Which fields of the tool matched, by which words of the query or words related to them. */
  readonly reason: string
}

export const DEFAULT_TOP_K = 5
export const MOST_TOP_K = 50
const LONGEST_TITLE = 100
/** How many hits of two ranked lists are considered before they are merged. */
const POOL = 50

/** Text after the first thousand words adds nothing. */
const LONGEST_QUERY = 8_192

/** The tools that match a query best, among those that this caller could ever be allowed to call. */
export async function searchTools(
  { catalogue, visibleTools, meaning, habits }: SearchDeps,
  caller: Caller,
  asked: string,
  top_k: number = DEFAULT_TOP_K,
): Promise<Result<readonly FoundTool[]>> {
  const query = asked.slice(0, LONGEST_QUERY)
  if (query.trim() === '') return refuse('request.invalid', { paths: 'query: say what the tool should do' })
  if (!Number.isInteger(top_k) || top_k < 1 || top_k > MOST_TOP_K)
    return refuse('request.invalid', { paths: `top_k: a whole number from 1 to ${MOST_TOP_K}` })
  const counts = (tool: Tool) => visibleTools.sees(caller, tool)
  const own = await habits?.of(caller)
  const meanings = await meaning?.nearest(query, POOL, counts)
  const wide = own === undefined && meanings === undefined ? top_k : POOL
  const words = await catalogue.search(query, wide, counts)
  const found = meanings === undefined ? words : fuseRanks(words, meanings, wide, meaning?.weight ?? 1)
  const hits = (own === undefined ? found : byHabit(found, own, query)).slice(0, top_k)
  habits?.searched(
    caller,
    query,
    hits.map(({ id }) => id),
  )
  return ok(
    hits.flatMap(({ id, score_hint, reason }) => {
      const tool = catalogue.tool(id)
      if (tool === undefined) return []
      const title = markedText(titleOf(tool))
      return [
        {
          skill_id: id,
          title: title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE - 1)}…` : title,
          score_hint: Math.round(score_hint * 1_000) / 1_000,
          tags: tool.tags ?? [],
          reason: spell(reason, tool),
        },
      ]
    }),
  )
}

function spell({ fields, terms, related = [], habit }: Hit['reason'], tool: Tool): string {
  const forms = wordForms(searchable(tool), new Set(related.map(({ term }) => term)))
  const others = related.map(({ word, term }) => `${forms.get(term) ?? term} (related to ${word})`)
  const words =
    fields.length === 0 ? 'similar in meaning' : `${[...terms, ...others].join(', ')} in ${fields.join(', ')}`
  return habit === true ? `${words}; run after a similar search` : words
}
