import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createIndex } from '../../server/src/guests/search/create-index.ts'
import { toolText, type SearchableTool } from '../../server/src/guests/search/searchable-tool.ts'
import { splitText } from '../../server/src/guests/search/split-text.ts'
import { stem } from '../../server/src/guests/search/stem.ts'
import { STOP_WORDS } from '../../server/src/guests/search/word-lists.ts'
import { createBm25 } from './bm25.ts'

type Search = (query: string, count: number) => readonly string[] | Promise<readonly string[]>
/** `open` loads the engine and returns a function that builds the index; only that function is timed. */
export type System = { open(): Promise<(tools: readonly SearchableTool[]) => Search | Promise<Search>> }

/** Split names, stems, no stop words: what a careful user gives a search library. */
const words = (text: string): string[] =>
  splitText(text)
    .filter((word) => !STOP_WORDS.has(word.text))
    .map((word) => stem(word.text))

/** The same text that ours reads; the name twice, as its weight. */
function fieldsOf(tool: SearchableTool) {
  const text = toolText(tool)
  return {
    id: tool.id,
    name: `${text.name} ${text.name} ${text.title}`,
    description: text.description,
    server: `${text.server} ${text.tags}`,
    parameters: `${text.parameters} ${text['parameter text']}`,
  }
}
const FIELDS = ['name', 'description', 'server', 'parameters'] as const

type MiniSearch = {
  addAll(documents: readonly object[]): void
  search(query: string): readonly { id: string }[]
}
type MiniSearchModule = { default: new (options: object) => MiniSearch }
type OramaModule = {
  create(options: object): object
  insertMultiple(index: object, documents: readonly object[]): Promise<unknown>
  search(index: object, options: object): Promise<{ hits: readonly { document: { id: string } }[] }>
}

/** Installed on first use, so neither the compiler nor a static import can rely on them. */
const peer = async <T>(path: string): Promise<T> =>
  (await import(pathToFileURL(join(import.meta.dirname, '../peers/node_modules', path)).href)) as T

const sluice: System = {
  open: () =>
    Promise.resolve((tools) => {
      const index = createIndex()
      for (const tool of tools) index.add(tool)
      return (query, count) => index.search(query, count).map(({ id }) => id)
    }),
}

function minisearch(options: object, read: (tool: SearchableTool) => object): System {
  return {
    async open() {
      const { default: MiniSearch } = await peer<MiniSearchModule>('minisearch/dist/es/index.js')
      return (tools) => {
        const index = new MiniSearch(options)
        index.addAll(tools.map(read))
        return (query, count) =>
          index
            .search(query)
            .slice(0, count)
            .map(({ id }) => id)
      }
    },
  }
}

const orama: System = {
  async open() {
    const { create, insertMultiple, search } = await peer<OramaModule>('@orama/orama/dist/esm/index.js')
    return async (tools) => {
      const index = create({
        schema: { id: 'string', name: 'string', description: 'string', server: 'string', parameters: 'string' },
        components: { tokenizer: { language: 'english', normalizationCache: new Map(), tokenize: words } },
      })
      await insertMultiple(index, tools.map(fieldsOf))
      return async (query, count) => {
        const found = await search(index, { term: query, properties: [...FIELDS], limit: count })
        return found.hits.map(({ document }) => document.id)
      }
    }
  },
}

const bm25: System = {
  open: () =>
    Promise.resolve((tools) => {
      const search = createBm25(
        tools.map((tool) => {
          const text = fieldsOf(tool)
          return { id: tool.id, words: FIELDS.flatMap((field) => words(text[field])) }
        }),
      )
      return (query, count) => search(words(query), count)
    }),
}

export const SYSTEMS = {
  sluice,
  minisearch: minisearch({ fields: ['name', 'description'] }, ({ id, name, description }) => ({
    id,
    name,
    description,
  })),
  minisearch_tuned: minisearch({ fields: [...FIELDS], tokenize: words }, fieldsOf),
  orama,
  bm25,
} as const satisfies Record<string, System>
export type SystemName = keyof typeof SYSTEMS
