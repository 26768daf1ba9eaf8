import type { Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { Tool } from '../contract/tool.ts'
import { markedText } from '../contract/visible-text.ts'
import { titleOf } from './card.ts'
import type { LiveCatalogue } from './catalogue.ts'
import type { VisibleTools } from './visible-tools.ts'

export type SearchPorts = {
  readonly catalogue: Pick<LiveCatalogue, 'tool' | 'search'>
  readonly visibleTools: VisibleTools
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

/** Text after the first thousand words adds nothing. */
const LONGEST_QUERY = 8_192

/**
 * The tools that match a query best, among those that this caller could ever be allowed to call. What callers ran after earlier
 * searches counts only if a person or an agent searches itself (`learns`).
 */
export async function searchTools(
  { catalogue, visibleTools }: SearchPorts,
  caller: Caller,
  asked: string,
  top_k: number = DEFAULT_TOP_K,
  { learns = false }: { readonly learns?: boolean } = {},
): Promise<Result<readonly FoundTool[]>> {
  const query = asked.slice(0, LONGEST_QUERY)
  if (query.trim() === '') return refuse('request.invalid', { paths: 'query: say what the tool should do' })
  if (!Number.isInteger(top_k) || top_k < 1 || top_k > MOST_TOP_K)
    return refuse('request.invalid', { paths: `top_k: a whole number from 1 to ${MOST_TOP_K}` })
  const counts = (tool: Tool) => visibleTools.sees(caller, tool)
  const found = await catalogue.search({ query, top_k, counts, ...(learns ? { learns_of: caller } : {}) })
  return ok(
    found.flatMap(({ tool_id, score_hint, reason }) => {
      const tool = catalogue.tool(tool_id)
      if (tool === undefined) return []
      const title = markedText(titleOf(tool))
      return [
        {
          skill_id: tool_id,
          title: title.length > LONGEST_TITLE ? `${title.slice(0, LONGEST_TITLE - 1)}…` : title,
          score_hint: Math.round(score_hint * 1_000) / 1_000,
          tags: tool.tags ?? [],
          reason,
        },
      ]
    }),
  )
}
