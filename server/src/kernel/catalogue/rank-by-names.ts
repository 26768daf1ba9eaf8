import { inForce, type Tool } from '../contract/tool.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { RankedTool, Ranker } from '../ports/ranker.ts'
import { splitWords } from '../text/split-words.ts'

/** Finds tools by the words of their names and titles: enough for a gate without a better ranker. */
export function rankByNames({ tools }: Pick<Catalogue, 'tools'>): Promise<Ranker> {
  return Promise.resolve({
    changed() {},
    readSoon() {},
    rank({ query, top_k, counts }) {
      const asked = [...new Set(splitWords(query))]
      const found = tools()
        .filter((tool) => isFindable(tool) && counts(tool))
        .flatMap((tool) => matchOf(tool, asked))
        .toSorted((a, b) => b.score_hint - a.score_hint || (a.tool_id < b.tool_id ? -1 : 1))
      return Promise.resolve(found.slice(0, top_k))
    },
  })
}

/** INVARIANT: words that nobody has admitted cannot be found. */
const isFindable = ({ row }: Tool): boolean => row.gone_at === undefined && row.admitted !== undefined

function matchOf(tool: Tool, asked: readonly string[]): RankedTool[] {
  const { name, title = '' } = inForce(tool.row).definition
  const words = new Set(splitWords(`${name} ${tool.title ?? title}`))
  const shared = asked.filter((word) => words.has(word))
  if (shared.length === 0) return []
  const { tool_id } = tool.row
  return [{ tool_id, score_hint: shared.length / asked.length, reason: `${shared.join(', ')} in name` }]
}
