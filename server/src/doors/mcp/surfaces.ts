import { pageBySize } from '../../commands/catalogue/page-by-size.ts'
import type { Gate } from '../../commands/gate.ts'
import type { MaybePromise } from '../../commands/ports/runtime.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Surface } from '../../contract/surface.ts'
import { isJsonObject, type Json, type JsonObject } from '../../contract/json.ts'
import { inForce, type ToolDefinition } from '../../contract/tool.ts'
import { markedText } from '../../contract/visible-text.ts'
import { answerCall } from './answer-call.ts'
import { whenTask } from './call-as-task.ts'
import type { Exchange } from './exchange.ts'
import { markedDefinition } from './foreign-texts.ts'
import { mirrorFault } from './mirror-fault.ts'
import { failed, type OwnTool } from './own-tool.ts'
import { COMMON_TOOLS, SEARCH_TOOLS } from './own-tools.ts'
import type { Era } from './read-message.ts'
import { definitionOf } from './shown-definition.ts'
import { inBand, refusalOf, RPC, type Answer } from './rpc.ts'

/** What a client is shown. `auto` is settled for a caller before anything is listed. */
export type Shown = Exclude<Surface, 'auto'>

const SEARCH_SURFACE = [...SEARCH_TOOLS, ...COMMON_TOOLS]
const SEARCH_LIST = SEARCH_SURFACE.map(({ definition }) => definition)
const SEARCH_TEXT = JSON.stringify(SEARCH_LIST)
/** Before 2026-07-28 a tool says whether a call of it can be a task. */
const MAY_BE_TASK: JsonObject = { execution: { taskSupport: 'optional' } }
const OLD_SEARCH_LIST = SEARCH_SURFACE.map(({ definition, calls }) =>
  calls ? { ...definition, ...MAY_BE_TASK } : definition,
)
const COMMON_LIST = COMMON_TOOLS.map(({ definition }) => definition)

const NO_SCHEMA: JsonObject = {}
const BY_NAME = new Map<string, { tool: OwnTool; on: readonly Surface[] }>([
  ...SEARCH_TOOLS.map((tool) => [tool.definition.name, { tool, on: ['search', 'auto'] }] as const),
  ...COMMON_TOOLS.map((tool) => [tool.definition.name, { tool, on: ['search', 'passthrough', 'auto'] }] as const),
])

export const shownTo = (gate: Gate, caller: Caller, surface: Surface): Shown =>
  surface === 'auto' ? gate.catalogue.smallerSurface(caller, SEARCH_TEXT) : surface

export type ToolList = { readonly tools: readonly JsonObject[]; readonly nextCursor?: string }

/** One page of the tools. A list of usual size is one page; undefined for a cursor that was not given out. */
export function listTools(gate: Gate, caller: Caller, shown: Shown, era: Era, cursor?: Json): ToolList | undefined {
  const from = cursor === undefined ? 0 : placeOf(cursor)
  if (from === undefined || (shown === 'search' && cursor !== undefined)) return undefined
  if (shown === 'search') return { tools: era === 'old' ? OLD_SEARCH_LIST : SEARCH_LIST }
  // A model may hold an operator's key: what nobody has admitted is in no model's list, whoever asks.
  const tools = gate.catalogue
    .tools(caller)
    .filter(({ row }) => row.gone_at === undefined && row.admitted !== undefined)
  const { items, next } = pageBySize(tools, from)
  const listed = items.map(({ row, title }) => ({
    ...shownDefinition(inForce(row).definition, era),
    ...(title === undefined ? {} : { title: markedText(title) }),
    ...(era === 'old' ? MAY_BE_TASK : {}),
    name: row.tool_id,
  }))
  return {
    tools: from === 0 ? [...COMMON_LIST, ...listed] : listed,
    ...(next === undefined ? {} : { nextCursor: `t${next}` }),
  }
}

function placeOf(cursor: Json): number | undefined {
  const [, digits] = typeof cursor === 'string' ? (/^t(\d{1,6})$/.exec(cursor) ?? []) : []
  return digits === undefined ? undefined : Number(digits)
}

const known = new WeakMap<ToolDefinition, Map<Era, JsonObject>>()

/** A definition as hosts and models read it. What it is taken to do, and its hash, come from the definition as it is. */
function shownDefinition(definition: ToolDefinition, era: Era): JsonObject {
  const byEra = known.get(definition) ?? new Map<Era, JsonObject>()
  const found = byEra.get(era) ?? markedDefinition(definitionFor(definition, era))
  known.set(definition, byEra.set(era, found))
  return found
}

/** Before 2026-07-28 the output of a tool is an object; clients refuse a list with anything else in it. */
function definitionFor(definition: ToolDefinition, era: Era): JsonObject {
  const { outputSchema, ...rest } = definition
  return outputSchema === undefined || (era === 'old' && outputSchema['type'] !== 'object')
    ? { ...rest }
    : { ...rest, outputSchema }
}

/** Carries out `tools/call`. Under `auto` both kinds of names are good: what was listed last is the client's memory, not ours. */
export function callTool(gate: Gate, exchange: Exchange, surface: Surface): MaybePromise<Answer> {
  const { name, arguments: args = {} } = exchange.params
  if (typeof name !== 'string')
    return inBand(refusalOf(RPC.invalid_params, 'mcp.params_invalid', { paths: 'name: missing' }))
  const own = BY_NAME.get(name)
  if (own?.on.includes(surface) === true) {
    const mayRun = own.tool.calls || whenTask(exchange) !== 'now'
    return mayRun ? own.tool.run(gate, exchange, args) : noTask()
  }
  if (surface === 'search') {
    const hint = 'call execute_skill_proxy with this name as its skill_id'
    return failed({ code: 'tool.unknown', about: { tool: name.slice(0, 128), paths: hint } })
  }
  const definition = () => definitionOf(gate, exchange.caller, name)
  if (exchange.era === 'new') {
    const fault = mirrorFault(definition()?.inputSchema ?? NO_SCHEMA, args, exchange)
    if (fault !== undefined) return fault
  }
  const hasOutputSchema = () => definition()?.outputSchema !== undefined
  return answerCall(gate, exchange, { tool: name, args }, hasOutputSchema)
}

const noTask = (): Answer =>
  inBand(refusalOf(RPC.method_not_found, 'mcp.params_invalid', { paths: 'task: this tool answers immediately' }))

/** Before 2026-07-28 structured content is an object; anything else would be refused, and the text says the same. */
export function resultFor(result: JsonObject, era: Era): JsonObject {
  const { structuredContent } = result
  if (era === 'new' || structuredContent === undefined || isJsonObject(structuredContent)) return result
  const { structuredContent: _, ...rest } = result
  return rest
}
