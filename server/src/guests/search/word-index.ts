import { inForce, type Tool } from '../../kernel/contract/tool.ts'
import { createIndex, type Hit } from './create-index.ts'
import type { SearchableTool } from './searchable-tool.ts'
import type { YieldWhenDue } from '../../kernel/ports/runtime.ts'

/** A search waits for the tools of a server that has at most this many left to index. */
const SHORT_WAIT = 200

export type WordIndexPorts = {
  readonly tool: (tool_id: string) => Tool | undefined
  readonly yieldWhenDue?: YieldWhenDue
}

export type SearchIndex = {
  /** Notes a tool whose words may have changed. */
  changed(before: Tool | undefined, tool: Tool): void
  /** Starts indexing what is not indexed yet, in the background. */
  readSoon(): void
  search(query: string, topK: number, counts: (tool: Tool) => boolean): Promise<readonly Hit[]>
}

/**
 * Search by words over the catalogue. Tools are indexed one at a time, alternating between servers, so that a server with
 * thousands of tools delays neither calls nor other servers' tools.
 * INVARIANT: for a changed tool one document is indexed again, whatever the size of the catalogue.
 */
export function openWordIndex({ tool, yieldWhenDue }: WordIndexPorts): SearchIndex {
  const index = createIndex()
  /** By server: the tools that are not indexed yet. */
  const unread = new Map<string, Set<string>>()
  let reading: Promise<void> | undefined

  function readOne(server: string, ids: Set<string>): void {
    const [tool_id] = ids
    if (tool_id === undefined) return void unread.delete(server)
    ids.delete(tool_id)
    if (ids.size === 0) unread.delete(server)
    const found = tool(tool_id)
    if (found === undefined || !isFindable(found)) index.remove(tool_id)
    else index.replace(searchable(found))
  }

  /** Alternates between servers, as long as there is one that `counts` accepts. */
  async function readWhile(counts: (ids: ReadonlySet<string>) => boolean): Promise<void> {
    for (;;) {
      const turn = [...unread].filter(([, ids]) => counts(ids))
      if (turn.length === 0) return
      for (const [server, ids] of turn) {
        readOne(server, ids)
        await yieldWhenDue?.()
      }
    }
  }

  return {
    changed(before, now) {
      if (before !== undefined && isSameText(before, now)) return
      const { server, tool_id } = now.row
      const ids = unread.get(server) ?? new Set()
      unread.set(server, ids.add(tool_id))
    },
    readSoon() {
      if (yieldWhenDue === undefined || unread.size === 0) return
      reading ??= readWhile(() => true).finally(() => (reading = undefined))
    },
    async search(query, topK, counts) {
      await readWhile((ids) => yieldWhenDue === undefined || ids.size <= SHORT_WAIT)
      return index.search(query, topK, (tool_id) => {
        const found = tool(tool_id)
        return found !== undefined && counts(found)
      })
    },
  }
}

/** Words that nobody has admitted cannot be found, and do not affect the rarity of a word. */
const isFindable = ({ row }: Tool): boolean => row.gone_at === undefined && row.admitted !== undefined

const isSameText = (before: Tool, now: Tool): boolean =>
  inForce(before.row).hash === inForce(now.row).hash && isFindable(before) === isFindable(now)

/** What search uses of a tool: the admitted text, and the operator's own text above it. */
export function searchable({ row, title = inForce(row).definition.title, tags = [] }: Tool): SearchableTool {
  const { name, description, inputSchema } = inForce(row).definition
  return {
    id: row.tool_id,
    name,
    server: row.server,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    tags,
    inputSchema,
  }
}
