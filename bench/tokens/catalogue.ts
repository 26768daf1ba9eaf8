import { createHash } from 'node:crypto'
import { readCard, type Card } from '../../server/src/kernel/catalogue/read-card.ts'
import { loadPolicy } from '../../server/src/kernel/policy/load-policy.ts'
import { searchTools, type FoundTool } from '../../server/src/kernel/catalogue/search-tools.ts'
import type { Caller } from '../../server/src/kernel/contract/caller.ts'
import { readConfig, settingsOf } from '../../server/test/read-config.ts'
import type { ServerSettings } from '../../server/src/kernel/contract/server-settings.ts'
import type { Tool, ToolDefinition } from '../../server/src/kernel/contract/tool.ts'
import { joinTool } from '../../server/src/kernel/catalogue/join-tool.ts'
import { rememberEffects } from '../../server/src/guests/risk/inferred-effects.ts'
import { rankerFor } from '../../server/src/guests/search/open-ranker.ts'
import type { Ranker, RankerPorts, ToolQuery } from '../../server/src/kernel/ports/ranker.ts'
import type { SearchableTool } from '../../server/src/guests/search/searchable-tool.ts'

const AGENT: Caller = { kind: 'agent', id: 'agent:bench', user: 'bench' }
const digest = (text: string) => createHash('sha256').update(text).digest('hex')

/** What a model is shown of a catalogue, made by the product's own commands. */
export type ShownCatalogue = {
  readonly definitions: readonly ToolDefinition[]
  definition(id: string): ToolDefinition | undefined
  search(query: string, top_k: number): Promise<readonly FoundTool[]>
  card(id: string): Card | undefined
}

export async function showCatalogue(tools: readonly SearchableTool[]): Promise<ShownCatalogue> {
  const settings = settingsOf({ command: 'none' })
  const byId = new Map(tools.map((tool) => [tool.id, joined(tool, settings)]))
  const policy = loadPolicy(digest, { text: '{}', file: 'bench' })
  if (!policy.ok) throw new Error(JSON.stringify(policy.problem))
  const catalogue = {
    tool: (id: string) => byId.get(id),
    tools: () => [...byId.values()],
    lookAlikes: () => [],
  }
  const ranker = await rankerOf(catalogue)
  for (const tool of byId.values()) ranker.changed(undefined, tool)
  const visibleTools = { ...catalogue, sees: () => true, tool: (_: Caller, id: string) => byId.get(id) }
  const deps = {
    catalogue: { ...catalogue, search: (asked: ToolQuery) => ranker.rank(asked) },
    visibleTools,
    digest,
    policy: () => policy.value,
  }
  return {
    definitions: [...byId.values()].map(({ row }) => row.definition),
    definition: (id) => byId.get(id)?.row.definition,
    async search(query, top_k) {
      const found = await searchTools(deps, AGENT, query, top_k)
      return found.ok ? found.value : []
    },
    card(id) {
      const card = readCard(deps, AGENT, id, false)
      return card.ok ? card.value : undefined
    },
  }
}

const infer = rememberEffects()

async function rankerOf(catalogue: RankerPorts['catalogue']): Promise<Ranker> {
  const config = readConfig({})
  const opened = config.ok ? rankerFor(config.value, '.') : config
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  return opened.value({ catalogue } as RankerPorts)
}

function joined(
  { id, name, server = '', title, description, inputSchema }: SearchableTool,
  settings: ServerSettings,
): Tool {
  const definition: ToolDefinition = {
    name: id,
    ...(title === undefined || title === '' ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    inputSchema: inputSchema ?? { type: 'object' },
  }
  const hash = digest(JSON.stringify(definition))
  const admitted = { hash, definition, at: 0, by: 'bench' }
  const row = {
    v: 1,
    tool_id: id,
    server,
    definition,
    definition_hash: hash,
    admitted,
    first_seen: 0,
    last_changed: 0,
  } as const
  return { ...joinTool({ ...row, definition: { ...definition, name } }, settings, { infer }), row }
}
