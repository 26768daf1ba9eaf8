import { pageBySize } from '../../kernel/catalogue/page-by-size.ts'
import { PAGED } from './parameters.ts'
import { AdmittedAnswer, CardAnswer, FoundToolsAnswer, listOf, ToolAnswer } from '../../kernel/contract/answers.ts'
import { DefinitionReview } from '../../kernel/contract/definition-review.ts'
import { AdmitBody } from '../../kernel/contract/api.ts'
import { PackAnswer } from '../../guests/packs/pack.ts'
import { inForce, type Tool } from '../../kernel/contract/tool.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { numberOf, partOf } from './query.ts'
import { ADMINS, CALLERS, OVERSEERS, PEOPLE } from './access.ts'
import { route, routeWithBody, type Routes } from './route.ts'

/** Limit of one page, however many tools there are. */
const MOST_TOOLS = 1_000

/** The tools that a caller may see. */
export const toolRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/tools',
      query: PAGED,
      access: CALLERS,
      summary: 'The tools',
      answers: listOf(ToolAnswer),
    }),
    async (c) => {
      await gate.catalogue.firstListing()
      const most = Math.min(Math.max(1, numberOf(c, 'limit', MOST_TOOLS)), MOST_TOOLS)
      const { items, ...next } = pageBySize(gate.catalogue.tools(c.get('caller')), numberOf(c, 'after', 0), most)
      return jsonResponse(200, {
        items: items.map((tool) => ({ ...shown(tool), ...gate.catalogue.standardOf(c.get('caller'), tool) })),
        ...next,
        notices: [...gate.policies.notices(), ...gate.catalogue.down(c.get('caller'))],
      })
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/tools/search',
      query: ['q', 'top_k'],
      access: CALLERS,
      summary: 'Search the tools, best match first (`q`, `top_k`, by default 5)',
      answers: FoundToolsAnswer,
    }),
    async (c) => {
      const top_k = c.req.query('top_k')
      const count = top_k === undefined ? undefined : Number(top_k)
      const found = await gate.catalogue.search(c.get('caller'), c.req.query('q') ?? '', count)
      const says = gate.catalogue.searchNotice()
      const words_only = says === undefined ? [] : [{ code: 'search.words_only', says }]
      const standing = [...words_only, ...gate.catalogue.down(c.get('caller'))]
      const notices = standing.length === 0 ? {} : { notices: standing }
      return found.ok
        ? jsonResponse(200, { items: found.value, ...notices })
        : problemResponse(found.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/tools/{tool_id}',
      query: ['full'],
      access: CALLERS,
      summary: 'The card of one tool: how to call it (`full=1` for the full schema)',
      answers: CardAnswer,
    }),
    (c) => {
      const card = gate.catalogue.card(c.get('caller'), partOf(c, 'tool_id'), c.req.query('full') === '1')
      return card.ok ? jsonResponse(200, card.value) : problemResponse(card.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/tools/{tool_id}/definition',
      access: OVERSEERS,
      summary: 'The admitted and the current definition of one tool, side by side; the hash to admit is `after.hash`',
      answers: DefinitionReview,
    }),
    (c) => {
      const review = gate.catalogue.review(c.get('caller'), partOf(c, 'tool_id'))
      return review.ok ? jsonResponse(200, review.value) : problemResponse(review.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/tools/{tool_id}/admit',
      access: ADMINS,
      summary: 'Admit exactly the definition with this hash',
      grants: true,
      body: AdmitBody,
      answers: AdmittedAnswer,
    }),
    async (c) => {
      const admitted = await gate.catalogue.admit(
        c.get('caller'),
        partOf(c, 'tool_id'),
        c.req.valid('json').definition_hash,
        c.get('proof'),
      )
      return admitted.ok
        ? jsonResponse(200, { tool_id: partOf(c, 'tool_id') })
        : problemResponse(admitted.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/packs',
      access: PEOPLE,
      summary: 'What is known about well-known tool servers, and which tools of this gate it applies to',
      answers: listOf(PackAnswer),
    }),
    async (c) => {
      await gate.catalogue.firstListing()
      const packs = gate.catalogue.packs()
      const isOverseer = OVERSEERS.includes(c.get('caller').kind)
      // The list of servers is only for approvers, reviewers and admins.
      return jsonResponse(200, { items: isOverseer ? packs : packs.map((pack) => ({ ...pack, servers: [] })) })
    },
  )
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
