import type { Caller } from '../../kernel/contract/caller.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import type { Hit } from './create-index.ts'
import { fuseRanks } from './fuse-ranks.ts'
import { byHabit } from './habits.ts'
import { titleOf } from '../../kernel/catalogue/card.ts'
import { wordForms } from './word-forms.ts'
import { markedText } from '../../kernel/contract/visible-text.ts'
import type { LiveCatalogue } from '../../kernel/catalogue/catalogue.ts'
import type { SearchHabits } from './search-habits.ts'
import type { SemanticSearch } from './semantic-search.ts'
import type { VisibleTools } from '../../kernel/catalogue/visible-tools.ts'
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
