import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { complaint } from '../bench.ts'
import { isJsonObject, type Json, type JsonObject } from '../../server/src/kernel/contract/json.ts'
import type { SearchableTool } from '../../server/src/guests/search/searchable-tool.ts'

/** Each inner list is one wanted tool: any of its ids counts as found. */
export type Question = { readonly query: string; readonly wanted: readonly (readonly string[])[] }
export type SearchSet = {
  readonly set: string
  readonly tools: readonly SearchableTool[]
  readonly questions: readonly Question[]
}

/** The folders of sets: each argument is a set or a folder of sets. */
export function setFolders(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    if (fileIn(folder, 'tools') !== undefined) return [folder]
    if (!existsSync(folder)) throw complaint(`no such data folder: ${folder}`)
    const inner = statSync(folder).isDirectory()
      ? readdirSync(folder)
          .toSorted()
          .map((name) => join(folder, name))
          .filter((one) => fileIn(one, 'tools') !== undefined && fileIn(one, 'queries') !== undefined)
      : []
    if (inner.length === 0)
      throw complaint(`${folder} contains no set: neither tools.jsonl and queries.jsonl nor folders with both`)
    return inner
  })
}

export function readSet(folder: string, distractors: readonly string[]): SearchSet {
  const queries = fileIn(folder, 'queries')
  if (queries === undefined) throw complaint(`${folder} has tools and no queries.jsonl`)
  // One document for each id, in every system: the first with that id.
  const tools = [
    ...new Map(
      readTools(fileIn(folder, 'tools') ?? '')
        .toReversed()
        .map((tool) => [tool.id, tool]),
    ).values(),
  ].toReversed()
  const known = new Set(tools.map(({ id }) => id))
  for (const [at, file] of distractors.entries())
    for (const tool of readTools(file)) {
      const id = known.has(tool.id) ? `distractor${at}/${tool.id}` : tool.id
      if (known.has(id)) continue
      known.add(id)
      tools.push({ ...tool, id })
    }
  const questions = readLines(queries).map(questionOf)
  return { set: basename(folder), tools, questions: questions.filter(({ wanted }) => wanted.length > 0) }
}

export const readTools = (file: string): SearchableTool[] => readLines(file).map(toolOf)

/** A sample that is the same on every machine: the questions in an order shuffled by a fixed seed. */
export function sample<T>(items: readonly T[], count: number): T[] {
  const shuffled = [...items]
  let state = 0x2f6e2b1
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = Math.floor((state / 2 ** 32) * (at + 1))
    ;[shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T]
  }
  return shuffled.slice(0, count)
}

function fileIn(folder: string, name: string): string | undefined {
  return [`${name}.jsonl.gz`, `${name}.jsonl`].map((file) => join(folder, file)).find((file) => existsSync(file))
}

function readLines(file: string): JsonObject[] {
  return textIn(file)
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : [rowIn(line, `${file}, line ${at + 1}`)]))
}

function textIn(file: string): string {
  try {
    const bytes = readFileSync(file)
    return file.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString()
  } catch (error) {
    throw complaint(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function rowIn(line: string, where: string): JsonObject {
  try {
    const row = JSON.parse(line) as Json
    if (isJsonObject(row)) return row
  } catch {
    // Reported below, like anything else that is not an object.
  }
  throw complaint(`${where}: not a JSON object`)
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** Every system reads this; the sets name their fields differently. */
function toolOf(row: JsonObject): SearchableTool {
  const schema = [row['inputSchema'], row['parameters'], row['input_schema']].find((value) => isJsonObject(value))
  const listed = Array.isArray(row['tags']) ? row['tags'].map(textOf) : []
  return {
    id: textOf(row['id']) || textOf(row['name']),
    name: textOf(row['name']),
    server: textOf(row['server']),
    server_description: textOf(row['server_description']),
    title: textOf(row['title']),
    description: textOf(row['description']),
    tags: [...listed, textOf(row['category'])].filter((tag) => tag !== ''),
    inputSchema: isJsonObject(schema) ? schema : schemaOfText(textOf(row['parameters_text'])),
  }
}

/** Some sets describe the parameters in one text that contains an object: `{"base": "Required. string. The base currency"}`. */
function schemaOfText(text: string): JsonObject {
  const found = /\{[^{}]*\}/.exec(text)
  if (found === null) return {}
  try {
    const described = JSON.parse(found[0]) as JsonObject
    const properties = Object.entries(described).map(([name, says]) => [name, { description: textOf(says) }])
    return { type: 'object', properties: Object.fromEntries(properties) as JsonObject }
  } catch {
    return { type: 'object', properties: { input: { description: text } } }
  }
}

function questionOf(row: JsonObject): Question {
  const any = row['relevant_any_of']
  const relevant = Array.isArray(any) && any.length > 0 ? any : row['relevant']
  const groups = Array.isArray(relevant) ? relevant : []
  if (groups.length > 0 && relevant === any && groups.every((group) => typeof group === 'string'))
    return { query: textOf(row['query']), wanted: [groups.map(textOf)] }
  const wanted = groups.map((group) => (Array.isArray(group) ? group.map(textOf) : [textOf(group)]))
  return { query: textOf(row['query']), wanted: [...new Map(wanted.map((ids) => [ids.join('\n'), ids])).values()] }
}
