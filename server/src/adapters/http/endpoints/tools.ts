import {
  AdmittedAnswer,
  CardAnswer,
  FoundToolsAnswer,
  listOf,
  ServerAnswer,
  ToolAnswer,
} from '../../../kernel/contract/answers.ts'
import { AdmitBody } from '../../../kernel/contract/api.ts'
import { DefinitionReview } from '../../../kernel/contract/definition-review.ts'
import { ok } from '../../../kernel/contract/problems.ts'
import { inForce, type Tool } from '../../../kernel/contract/tool.ts'
import { admitTool, type AdmitPorts } from '../../../kernel/catalogue/admit-tool.ts'
import { pageBySize } from '../../../kernel/catalogue/page-by-size.ts'
import { retryServer, type RetryPorts } from '../../../kernel/catalogue/retry-server.ts'
import { reviewTool } from '../../../kernel/catalogue/review-tool.ts'
import type { ToolViews } from '../../../kernel/catalogue/tool-views.ts'
import { warningsOf } from '../../../kernel/policy/show.ts'
import type { LivePolicy } from '../../../kernel/policy/live-policy.ts'
import { ADMINS, CALLERS, DECIDERS, OVERSEERS, PEOPLE } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { PAGED } from '../parameters.ts'
import { MOST_ITEMS, pageOfList } from '../query.ts'

export type ToolPorts = AdmitPorts &
  RetryPorts &
  Parameters<typeof reviewTool>[0] & {
    readonly version: string
    readonly toolViews: ToolViews
    readonly live: LivePolicy
  }

/** Limit of one page, however many tools there are. */
const MOST_TOOLS = 1_000

/** The tools that a caller may see, and the servers that they come from. */
export function toolEndpoints(k: ToolPorts): readonly Endpoint[] {
  const { toolViews } = k
  return [
    endpoint({
      at: 'GET /v1/tools',
      access: CALLERS,
      says: 'The tools',
      query: PAGED,
      answers: listOf(ToolAnswer),
      async run(caller, { number }) {
        await toolViews.firstListing()
        const most = Math.min(Math.max(1, number('limit', MOST_TOOLS)), MOST_TOOLS)
        const { items, ...next } = pageBySize(toolViews.tools(caller), number('after', 0), most)
        return ok({
          items: items.map((tool) => ({ ...shown(tool), ...toolViews.standardOf(caller, tool) })),
          ...next,
          notices: [...warningsOf(k.live), ...toolViews.down(caller)],
        })
      },
    }),
    endpoint({
      at: 'GET /v1/tools/search',
      access: CALLERS,
      says: 'Search the tools, best match first (`q`, `top_k`, by default 5)',
      query: ['q', 'top_k'],
      answers: FoundToolsAnswer,
      run: (caller, { query: { q = '', top_k } }) =>
        toolViews.search(caller, q, top_k === undefined ? undefined : Number(top_k)),
      shows(items, { reader: { caller } }) {
        const says = toolViews.searchNotice()
        const words_only = says === undefined ? [] : [{ code: 'search.words_only', says }]
        const standing = [...words_only, ...toolViews.down(caller)]
        return { items, ...(standing.length === 0 ? {} : { notices: standing }) }
      },
    }),
    endpoint({
      at: 'GET /v1/tools/{tool_id}',
      access: CALLERS,
      says: 'The card of one tool: how to call it (`full=1` for the full schema)',
      query: ['full'],
      answers: CardAnswer,
      run: (caller, { params, query }) => toolViews.card(caller, params.tool_id, query.full === '1'),
    }),
    endpoint({
      at: 'GET /v1/tools/{tool_id}/definition',
      access: OVERSEERS,
      says: 'The admitted and the current definition of one tool, side by side; the hash to admit is `after.hash`',
      answers: DefinitionReview,
      run: (caller, { params }) => reviewTool(k, caller, params.tool_id),
    }),
    endpoint({
      at: 'POST /v1/tools/{tool_id}/admit',
      access: ADMINS,
      says: 'Admit exactly the definition with this hash',
      grants: true,
      body: AdmitBody,
      answers: AdmittedAnswer,
      async run(caller, { params: { tool_id }, body, proof }) {
        const admitted = await admitTool(k, caller, tool_id, body.definition_hash, proof)
        if (!admitted.ok) return admitted
        // Conditions are checked against the admitted schemas.
        await k.live.reload('catalogue')
        return ok({ tool_id })
      },
    }),
    endpoint({
      at: 'GET /v1/servers',
      access: PEOPLE,
      says: 'Tool servers and their health',
      query: PAGED,
      answers: listOf(ServerAnswer),
      run: (_, { query }) => ok({ version: k.version, ...pageOfList(query, k.serverReports(), MOST_ITEMS) }),
    }),
    endpoint({
      at: 'POST /v1/servers/{server}/retry',
      access: DECIDERS,
      says: 'Try at once to reach a tool server that is down; answers with its state after the attempt',
      answers: ServerAnswer,
      run: (caller, { params }) => retryServer(k, caller, params.server),
    }),
  ]
}

function shown({ row, title, tags, effects, effects_from, pack, risk, idempotent, dry_run }: Tool) {
  const { definition } = inForce(row)
  const { description, inputSchema } = definition
  const admitted = row.admitted?.hash === row.definition_hash
  return {
    tool_id: row.tool_id,
    server: row.server,
    title: title ?? definition.title,
    tags,
    description,
    input_schema: inputSchema,
    effects,
    effects_from,
    ...(pack === undefined ? {} : { pack }),
    risk,
    idempotent,
    dry_run: dry_run !== undefined,
    definition_hash: row.definition_hash,
    admitted,
    ...(row.admitted === undefined ? {} : { admitted_hash: row.admitted.hash }),
    ...(row.gone_at === undefined ? {} : { gone_at: row.gone_at }),
  }
}
