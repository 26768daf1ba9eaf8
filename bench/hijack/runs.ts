import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { isJsonObject, type Json, type JsonObject } from '../../server/src/kernel/contract/json.ts'
import type { ToolDefinition } from '../../server/src/kernel/contract/tool.ts'
import { validateAgainst } from '../../server/src/kernel/json/validate-args.ts'
import { complaint } from '../bench.ts'

/** One call of a recorded run. `label` and `mutates_env` are from the data set: no system that decides ever sees them. */
export type RecordedCall = {
  readonly function: string
  readonly args: JsonObject
  readonly label: 'benign' | 'malicious'
  readonly output: Json
  readonly output_text?: string
  /** What the person said just before it. */
  readonly user?: string
}

export type RecordedRun = {
  readonly suite: string
  readonly user_task: string
  readonly injection_task?: string
  readonly prompt: string
  /** Of a hijacked run: what the injected text asks for. */
  readonly goal?: string
  readonly calls: readonly RecordedCall[]
}

export type DataSet = {
  readonly benign: readonly RecordedRun[]
  /** Absent where the folder has none. */
  readonly benignRead?: readonly RecordedRun[]
  readonly hijacked: readonly RecordedRun[]
  tool(suite: string, name: string): ToolDefinition
  /** According to the authors of the data set. */
  hasEffect(suite: string, name: string): boolean
}

type ListedTool = { readonly name: string; readonly description?: string; readonly parameters?: JsonObject }

export function readDataSet(folder: string): DataSet {
  const tools = json(folder, 'tools.json') as Readonly<Record<string, readonly ListedTool[]>>
  const effects = json(folder, 'tool_side_effects.json') as Readonly<Record<string, Readonly<Record<string, string>>>>
  const definitions = new Map<string, ToolDefinition>()
  for (const [suite, listed] of Object.entries(tools))
    for (const { name, description, parameters } of listed)
      definitions.set(`${suite} ${name}`, {
        name,
        ...(description === undefined ? {} : { description }),
        inputSchema: cleanSchema(parameters ?? { type: 'object' }),
      })
  const benign = lines(folder, 'benign_runs') ?? []
  const hijacked = lines(folder, 'hijack_runs') ?? []
  const benignRead = lines(folder, 'benign_read_runs')
  for (const { suite, calls } of [...benign, ...hijacked])
    for (const call of calls) {
      const definition = definitions.get(`${suite} ${call.function}`)
      if (definition === undefined || isFitting(definition.inputSchema, call.args)) continue
      definitions.set(`${suite} ${call.function}`, { ...definition, inputSchema: loosened(definition.inputSchema) })
    }
  return {
    benign,
    hijacked,
    ...(benignRead === undefined ? {} : { benignRead }),
    tool: (suite, name) => definitions.get(`${suite} ${name}`) ?? { name, inputSchema: { type: 'object' } },
    hasEffect: (suite, name) => effects[suite]?.[name] !== 'no_side_effect',
  }
}

/** Types that data sets name as a programming language does. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  dict: 'object',
  float: 'number',
  double: 'number',
  int: 'integer',
  str: 'string',
  bool: 'boolean',
  list: 'array',
  tuple: 'array',
  any: undefined,
}

/** A schema that a gate can admit: nothing is required, and types that JSON Schema does not have are left out. */
export function cleanSchema(schema: JsonObject): JsonObject {
  const clean = (value: Json): Json => {
    if (Array.isArray(value)) return value.map((item: Json) => clean(item))
    if (!isJsonObject(value)) return value
    const fields = Object.entries(value).filter(([key]) => KEPT.has(key))
    return Object.fromEntries(
      fields.flatMap(([key, inner]): [string, Json][] => {
        if (key === 'properties' && isJsonObject(inner))
          return [[key, Object.fromEntries(Object.entries(inner).map(([name, field]) => [name, clean(field)]))]]
        if (key !== 'type') return [[key, key === 'items' ? clean(inner) : inner]]
        const type = typeof inner === 'string' && Object.hasOwn(TYPES, inner) ? TYPES[inner] : inner
        return type === undefined || (type !== 'object' && !isTyped(type)) ? [] : [[key, type]]
      }),
    )
  }
  return { ...(clean(schema) as JsonObject), type: 'object' }
}

const KEPT = new Set(['type', 'properties', 'items', 'description', 'default', 'title', 'enum'])
const isTyped = (type: Json): boolean =>
  typeof type === 'string' && ['array', 'string', 'boolean', 'number', 'integer'].includes(type)

function json(folder: string, name: string): unknown {
  const file = join(folder, name)
  if (!existsSync(file)) throw complaint(`${name} is missing in ${folder}`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

const isFitting = (schema: JsonObject, args: JsonObject): boolean =>
  validateAgainst(schema, JSON.stringify(schema), args).ok

/** Recorded calls do not always match the listed schema. Then only the fields' names are used. */
function loosened({ properties }: JsonObject): JsonObject {
  const names = isJsonObject(properties) ? Object.keys(properties) : []
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) }
}

/** JSON Lines, gzipped or not. */
function lines(folder: string, name: string): RecordedRun[] | undefined {
  const [packed, plain] = [join(folder, `${name}.jsonl.gz`), join(folder, `${name}.jsonl`)]
  const text = existsSync(packed)
    ? gunzipSync(readFileSync(packed)).toString()
    : existsSync(plain)
      ? readFileSync(plain, 'utf8')
      : undefined
  return text
    ?.split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as RecordedRun)
}
