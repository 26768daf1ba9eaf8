import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { COMMON_TOOLS, SEARCH_TOOLS } from '../../server/src/adapters/mcp/own-tools.ts'
import { estimateTokens } from '../../server/src/kernel/text/estimate-tokens.ts'
import { columns, valuesOf, type Bench } from '../bench.ts'
import { readSet, readTools, sample, setFolders, type Question } from '../search/read-set.ts'
import { showCatalogue, type ShownCatalogue } from './catalogue.ts'

/**
 * What does a model read? Every definition at the start (passthrough), or a few tools that find the others (search). Counted
 * with a tokenizer of real models. A task is: one search with the prompt, a card and a call for every tool it needs. The cost of
 * mistakes is not counted: `found` is the share of tasks for which the one search shows all needed tools.
 */
const DATA = join(import.meta.dirname, '../../../shared/data')
const CATALOGUES = ['github_mcp_server', 'docker_registry', 'mcpm_registry']
const TASKS = 200
const TOP_K = 5

type CatalogueRow = {
  what: 'catalogue'
  name: string
  tools: number
  passthrough: number
  search: number
  ratio: number
}
type TaskRow = {
  what: 'tasks'
  name: string
  tools: number
  tasks: number
  found: number
  passthrough_per_task: number
  search_per_task: number
  /** What one task reads more on the search surface than its calls alone; the estimate is what `surface: auto` counts with. */
  trip: number
  trip_estimated: number
  /** Tasks of one conversation after which showing everything at once would have been cheaper. */
  cheaper_until: number
}
type Report = { bench: 'tokens'; tokenizer: string; top_k: number; rows: (CatalogueRow | TaskRow)[] }
type Count = (text: string) => number

export const bench: Bench<Report> = {
  needsPeers: true,

  async run(options) {
    const path = '../peers/node_modules/gpt-tokenizer/esm/encoding/o200k_base.js'
    const { countTokens } = (await import(pathToFileURL(join(import.meta.dirname, path)).href)) as {
      countTokens: Count
    }
    const own = [...SEARCH_TOOLS, ...COMMON_TOOLS].map(({ definition }) => definition)
    const common = COMMON_TOOLS.map(({ definition }) => definition)
    const fixed = { search: countTokens(JSON.stringify(own)), common: countTokens(JSON.stringify(common)) }
    const rows: Report['rows'] = []
    for (const name of CATALOGUES) {
      const { definitions } = await showCatalogue(readTools(join(DATA, 'mcp-catalog', `${name}.jsonl.gz`)))
      const passthrough = fixed.common + sum(definitions.map((definition) => countTokens(JSON.stringify(definition))))
      const ratio = round(passthrough / fixed.search, 1)
      rows.push({ what: 'catalogue', name, tools: definitions.length, passthrough, search: fixed.search, ratio })
    }
    const given = valuesOf(options, '--data').map((folder) => resolve(folder))
    for (const folder of setFolders(given.length === 0 ? [join(DATA, 'retrieval')] : given)) {
      const { set, tools, questions } = readSet(folder, [])
      const asked = sample(questions, Math.min(TASKS, questions.length))
      rows.push(await tasksOf(set, await showCatalogue(tools), asked, fixed, countTokens))
    }
    return { bench: 'tokens', tokenizer: 'o200k_base', top_k: TOP_K, rows }
  },

  table({ rows }) {
    const catalogues = rows.flatMap((row) =>
      row.what === 'catalogue' ? [[row.name, row.tools, row.passthrough, row.search, `${row.ratio} ×`]] : [],
    )
    const tasks = rows.flatMap((row) =>
      row.what === 'tasks'
        ? [
            [
              `${row.name} (${row.tools} tools, ${row.tasks} tasks)`,
              row.found.toFixed(3),
              row.passthrough_per_task,
              row.search_per_task,
              row.trip,
              row.cheaper_until,
            ],
          ]
        : [],
    )
    return [
      columns([['catalogue', 'tools', 'passthrough', 'search', 'less'], ...catalogues]),
      columns([
        ['one task', 'found', 'passthrough', 'search', 'of it for searching', 'cheaper up to … tasks'],
        ...tasks,
      ]),
    ].join('\n\n')
  },
}

async function tasksOf(
  name: string,
  shown: ShownCatalogue,
  asked: readonly Question[],
  fixed: { search: number; common: number },
  count: Count,
): Promise<TaskRow> {
  const texts = await Promise.all(asked.map(({ query, wanted }) => textsOf(shown, query, wanted)))
  const definitions = fixed.common + sum(shown.definitions.map((definition) => count(JSON.stringify(definition))))
  const calls = mean(texts.map(({ call }) => count(call)))
  const trip = mean(texts.map(({ trip }) => count(trip)))
  return {
    what: 'tasks',
    name,
    tools: shown.definitions.length,
    tasks: asked.length,
    found: round(mean(texts.map(({ found }) => (found ? 1 : 0))), 4),
    passthrough_per_task: Math.round(definitions + calls),
    search_per_task: Math.round(fixed.search + trip + calls),
    trip: Math.round(trip),
    trip_estimated: Math.round(mean(texts.map(({ trip }) => estimateTokens(trip)))),
    cheaper_until: Math.max(0, Math.floor((definitions - fixed.search) / Math.max(1, trip))),
  }
}

/** The texts of one task: the calls themselves, which every surface has, and what only the search surface adds. */
async function textsOf(shown: ShownCatalogue, query: string, wanted: Question['wanted']) {
  const hits = await shown.search(query, TOP_K)
  const found = wanted.map((ids) => hits.find(({ skill_id }) => ids.includes(skill_id)))
  const cards = found.flatMap((hit) => (hit === undefined ? [] : [shown.card(hit.skill_id)]))
  const needed = wanted.map((ids) => ids.find((id) => shown.definition(id) !== undefined) ?? ids[0] ?? '')
  const calls = needed.map((id) => ({ name: id, arguments: shown.card(id)?.example ?? {} }))
  const trip = [
    { name: 'tool_search', arguments: { query } },
    hits,
    ...cards.map((card) => ({ name: 'get_skill_card', arguments: { skill_id: card?.skill_id } })),
    ...cards,
    ...needed.map((skill_id) => ({ name: 'execute_skill_proxy', skill_id, mode: 'execute' })),
  ]
  const asText = (parts: readonly unknown[]) => parts.map((part) => JSON.stringify(part)).join('\n')
  return { call: asText(calls), trip: asText(trip), found: found.every((hit) => hit !== undefined) }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
const mean = (numbers: readonly number[]): number => sum(numbers) / Math.max(1, numbers.length)
const round = (value: number, digits: number): number => Number(value.toFixed(digits))
