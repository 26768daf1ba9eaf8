import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { JsonObject } from '../../server/src/kernel/contract/json.ts'
import { toolText } from '../../server/src/guests/search/searchable-tool.ts'
import { splitText } from '../../server/src/guests/search/split-text.ts'
import { stem } from '../../server/src/guests/search/stem.ts'
import { REQUEST_WORDS, STOP_WORDS } from '../../server/src/guests/search/word-lists.ts'
import { readSet, sample, setFolders, type SearchSet } from './read-set.ts'

/**
 * Writes `word-weights.ts` of the search again: how often the tool that a request wants contains a word of the request, word by word.
 * Where that is rare ("accurate", "ensure", "various"), the word says little about the tool, however rare it is in a catalogue.
 * `node bench/search/learn-word-weights.ts`
 */
const DATA = join(import.meta.dirname, '../../../shared/data')
const TABLE = join(import.meta.dirname, '../../server/src/guests/search/word-weights.ts')

const QUERIES = 3_000
/** A set adds at most this many requests per word, so that no large set decides alone. */
const MOST_PER_SET = 50
/** The requests with the word that are needed, and the sets that they come from. */
const LEAST = 8
const LEAST_SETS = 3
/** So many average requests are added to those of every word, so that a few requests change little. */
const AVERAGE = 20
const LOWEST = 0.3
/** Above it, a word counts fully: the difference is within the noise. */
const HIGHEST = 0.8
const LINE = 130

type Count = { readonly asked: number; readonly right: number }
/** By stem: the requests that contain it, if any tool does, and those whose right tools contain it; and its most frequent form. */
type WordCounts = ReadonlyMap<string, Count & { readonly forms: ReadonlyMap<string, number> }>
type Weighed = { readonly word: string; readonly weight: number }

const REQUEST_STEMS = new Set([...REQUEST_WORDS].map(stem))
const isPlain = (word: string): boolean => /^[a-z]{2,}$/.test(word) && !STOP_WORDS.has(word)

export function countWords({ tools, questions }: Pick<SearchSet, 'tools' | 'questions'>): WordCounts {
  const stemsOf = new Map(
    tools.map((tool) => [
      tool.id,
      new Set(Object.values(toolText(tool)).flatMap((text) => splitText(text).map((word) => stem(word.text)))),
    ]),
  )
  const known = new Set([...stemsOf.values()].flatMap((stems) => [...stems]))
  const counts = new Map<string, { asked: number; right: number; forms: Map<string, number> }>()
  for (const { query, wanted } of sample(questions, Math.min(QUERIES, questions.length))) {
    const words = splitText(query).filter(({ text, joined }) => !joined && isPlain(text))
    for (const [term, form] of new Map(words.map(({ text }) => [stem(text), text]))) {
      if (!known.has(term)) continue
      const count = counts.get(term) ?? { asked: 0, right: 0, forms: new Map() }
      counts.set(term, count)
      count.asked += 1
      if (wanted.some((ids) => ids.some((id) => stemsOf.get(id)?.has(term)))) count.right += 1
      count.forms.set(form, (count.forms.get(form) ?? 0) + 1)
    }
  }
  return counts
}

/** The words that count less than others, in steps of a tenth. */
export function weighWords(sets: readonly WordCounts[]): Weighed[] {
  const sums = new Map<string, { asked: number; right: number; sets: number; forms: Map<string, number> }>()
  for (const [term, { asked, right, forms }] of sets.flatMap((counts) => [...counts])) {
    const share = Math.min(1, MOST_PER_SET / asked)
    const sum = sums.get(term) ?? { asked: 0, right: 0, sets: 0, forms: new Map() }
    sums.set(term, sum)
    sum.asked += asked * share
    sum.right += right * share
    sum.sets += 1
    for (const [form, times] of forms) sum.forms.set(form, (sum.forms.get(form) ?? 0) + times)
  }
  const total = (key: keyof Count): number => [...sums.values()].reduce((all, sum) => all + sum[key], 0)
  const usual = total('right') / Math.max(1, total('asked'))
  return [...sums].flatMap(([term, { asked, right, sets: among, forms }]) => {
    if (asked < LEAST || among < LEAST_SETS || REQUEST_STEMS.has(term)) return []
    const share = (right + AVERAGE * usual) / (asked + AVERAGE)
    const weight = Math.max(LOWEST, Math.round((share / usual) * 10) / 10)
    const [word] = [...forms].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))[0] ?? [term]
    return weight <= HIGHEST ? [{ word, weight }] : []
  })
}

type Row = { readonly name: string; readonly description: string; readonly parameters: JsonObject }
type Run = {
  readonly suite: string
  readonly prompt: string
  readonly calls: readonly { readonly function: string; readonly user?: string }[]
}

/** Conversations as a set: what a person said, and the tools that were called for it. */
function readConversations(folder: string): Pick<SearchSet, 'tools' | 'questions'> {
  const suites = JSON.parse(readFileSync(join(folder, 'tools.json'), 'utf8')) as Record<string, Row[]>
  const idOf = ({ name, description }: Row): string => `${name}: ${description}`
  const rows = new Map(Object.values(suites).flatMap((list) => list.map((row) => [idOf(row), row])))
  const tools = [...rows].map(([id, { name, description, parameters }]) => ({
    id,
    name,
    description,
    inputSchema: parameters,
  }))
  const wanted = new Map<string, Set<string>>()
  for (const line of gunzipSync(readFileSync(join(folder, 'benign_runs.jsonl.gz')))
    .toString()
    .trim()
    .split('\n')) {
    const { suite, prompt, calls } = JSON.parse(line) as Run
    let said = prompt
    for (const { function: called, user } of calls) {
      said = user ?? said
      const row = suites[suite]?.find(({ name }) => name === called)
      if (row !== undefined) wanted.set(said, (wanted.get(said) ?? new Set()).add(idOf(row)))
    }
  }
  return { tools, questions: [...wanted].map(([query, ids]) => ({ query, wanted: [...ids].map((id) => [id]) })) }
}

function linesOf(weighed: readonly Weighed[]): string[] {
  const byWeight = Map.groupBy(weighed, ({ weight }) => weight)
  return [...byWeight]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([weight, words]) => {
      const lines: string[] = []
      for (const { word } of words.toSorted((a, b) => (a.word < b.word ? -1 : 1))) {
        const last = lines.at(-1)
        if (last === undefined || last.length + word.length > LINE) lines.push(`${weight}: ${word}`)
        else lines[lines.length - 1] = `${last} ${word}`
      }
      return lines
    })
}

if (import.meta.main) {
  const sets = [
    ...setFolders([join(DATA, 'retrieval')]).map((folder) => readSet(folder, [])),
    ...['conversations', 'agentdojo'].map((folder) => readConversations(join(DATA, folder))),
  ]
  const lines = linesOf(weighWords(sets.map(countWords)))
  const [before = '', , after = ''] = readFileSync(TABLE, 'utf8').split('`')
  writeFileSync(TABLE, `${before}\`\n${lines.join('\n')}\n\`${after}`)
}
