import { pageBySize } from '../../kernel/catalogue/page-by-size.ts'
import type { McpPorts, OwnTool } from './mcp-ports.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Surface } from '../../kernel/contract/caller.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { inForce, type ToolDefinition } from '../../kernel/contract/tool.ts'
import { markedText } from '../../kernel/contract/visible-text.ts'
import { answerCall } from './answer-call.ts'
import { whenTask } from './call-as-task.ts'
import type { McpExchange } from './exchange.ts'
import { markedDefinition } from './foreign-texts.ts'
import { mirrorFault } from './mirror-fault.ts'
import { failed } from './own-tool.ts'
import { COMMON_TOOLS, SEARCH_TOOLS } from './own-tools.ts'
import type { Era } from './read-message.ts'
import { definitionFor, definitionOf, showsOutputSchema } from './shown-definition.ts'
import { inBand, refusalOf, RPC, type RpcResult } from './rpc.ts'

/** The surface that a client sees. `auto` is resolved for a caller before anything is listed. */
export type ShownSurface = Exclude<Surface, 'auto'>

const SEARCH_SURFACE = [...SEARCH_TOOLS, ...COMMON_TOOLS]
const SEARCH_TEXT = JSON.stringify(SEARCH_SURFACE.map(({ definition }) => definition))
/** Before 2026-07-28 a tool definition says whether a call can be a task. */
const MAY_BE_TASK: JsonObject = { execution: { taskSupport: 'optional' } }
const listed = (tools: readonly OwnTool[], era: Era): readonly JsonObject[] =>
  tools.map(({ definition, calls }) => (calls && era === 'old' ? { ...definition, ...MAY_BE_TASK } : definition))

const NO_SCHEMA: JsonObject = {}
const EVERYWHERE: readonly Surface[] = ['search', 'passthrough', 'auto']
const BY_NAME = new Map<string, { tool: OwnTool; on: readonly Surface[] }>([
  ...SEARCH_TOOLS.map((tool) => [tool.definition.name, { tool, on: ['search', 'auto'] }] as const),
  ...COMMON_TOOLS.map((tool) => [tool.definition.name, { tool, on: EVERYWHERE }] as const),
])

/** Tools of guests can be called also while they are not listed, and then say why they do nothing. */
function ownTool({ guestTools }: McpPorts, name: string): { tool: OwnTool; on: readonly Surface[] } | undefined {
  const found = BY_NAME.get(name)
  if (found !== undefined) return found
  for (const { tools } of guestTools)
    for (const tool of tools) if (tool.definition.name === name) return { tool, on: EVERYWHERE }
  return undefined
}

/** The tools of guests that are on. */
export async function listedGuestTools({ guestTools }: McpPorts): Promise<readonly OwnTool[]> {
  const are_on = await Promise.all(guestTools.map(({ on }) => on()))
  return guestTools.flatMap(({ tools }, at) => (are_on[at] === true ? tools : []))
}

export const shownTo = (gate: McpPorts, caller: Caller, surface: Surface): ShownSurface =>
  surface === 'auto' ? gate.toolViews.smallerSurface(caller, SEARCH_TEXT) : surface

type Asked = { readonly cursor?: Json | undefined; readonly guests?: readonly OwnTool[] }
export type ToolList = { readonly tools: readonly JsonObject[]; readonly nextCursor?: string }

/** One page of the tools; usually there is only one. Undefined for a cursor that the gate did not issue. */
export function listTools(
  { toolViews }: Pick<McpPorts, 'toolViews'>,
  caller: Caller,
  shown: ShownSurface,
  era: Era,
  { cursor, guests = [] }: Asked = {},
): ToolList | undefined {
  const from = cursor === undefined ? 0 : placeOf(cursor)
  if (from === undefined || (shown === 'search' && cursor !== undefined)) return undefined
  if (shown === 'search') return { tools: listed([...SEARCH_SURFACE, ...guests], era) }
  // A model may use an operator's key, so tools that were not admitted are listed for nobody.
  const tools = toolViews.tools(caller).filter(({ row }) => row.gone_at === undefined && row.admitted !== undefined)
  const { items, next } = pageBySize(tools, from)
  const theirs = items.map(({ row, title }) => ({
    ...shownDefinition(inForce(row).definition, era),
    ...(title === undefined ? {} : { title: markedText(title) }),
    ...(era === 'old' ? MAY_BE_TASK : {}),
    name: row.tool_id,
  }))
  return {
    tools: from === 0 ? [...listed([...COMMON_TOOLS, ...guests], era), ...theirs] : theirs,
    ...(next === undefined ? {} : { nextCursor: `t${next}` }),
  }
}

function placeOf(cursor: Json): number | undefined {
  const [, digits] = typeof cursor === 'string' ? (/^t(\d{1,6})$/.exec(cursor) ?? []) : []
  return digits === undefined ? undefined : Number(digits)
}

const known = new WeakMap<ToolDefinition, Map<Era, JsonObject>>()

/** A definition made safe for hosts and models. Its effects and its hash come from the original definition. */
function shownDefinition(definition: ToolDefinition, era: Era): JsonObject {
  const byEra = known.get(definition) ?? new Map<Era, JsonObject>()
  const found = byEra.get(era) ?? markedDefinition(definitionFor(definition, era))
  known.set(definition, byEra.set(era, found))
  return found
}

/**
 * Executes `tools/call`. Under `auto` the names of both surfaces are accepted, because the gate does not know which list the client
 * saw last.
 */
export function callTool(gate: McpPorts, exchange: McpExchange, surface: Surface): MaybePromise<RpcResult> {
  const { name, arguments: args = {} } = exchange.params
  if (typeof name !== 'string')
    return inBand(refusalOf(RPC.invalid_params, 'mcp.params_invalid', { paths: 'name: missing' }))
  const own = ownTool(gate, name)
  if (own?.on.includes(surface) === true) {
    const mayRun = own.tool.calls || whenTask(exchange) !== 'now'
    return mayRun ? own.tool.run(gate, exchange, args) : noTask()
  }
  if (surface === 'search') {
    const hint = 'call execute_skill_proxy with this name as its skill_id'
    return failed({ code: 'tool.unknown', about: { tool: name.slice(0, 128), paths: hint } })
  }
  if (exchange.era === 'new') {
    const fault = mirrorFault(definitionOf(gate, exchange.caller, name)?.inputSchema ?? NO_SCHEMA, args, exchange)
    if (fault !== undefined) return fault
  }
  const hasOutputSchema = () => showsOutputSchema(gate, exchange.caller, name, exchange.era)
  return answerCall(gate, exchange, { tool: name, args }, hasOutputSchema)
}

const noTask = (): RpcResult =>
  inBand(refusalOf(RPC.method_not_found, 'mcp.params_invalid', { paths: 'task: this tool answers immediately' }))

/** Before 2026-07-28 structured content must be an object. Anything else is left out; the text contains the same. */
export function resultFor(result: JsonObject, era: Era): JsonObject {
  const { structuredContent } = result
  if (era === 'new' || structuredContent === undefined || isJsonObject(structuredContent)) return result
  const { structuredContent: _, ...rest } = result
  return rest
}
