import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { mirrorsOf, type Mirror } from '../../kernel/contract/mirrors.ts'
import type { McpExchange } from './exchange.ts'
import { headerText } from './header-text.ts'
import { mismatch } from './read-message.ts'
import type { RpcRefusal } from './rpc.ts'

const NONE: readonly Mirror[] = []
const known = new WeakMap<JsonObject, readonly Mirror[]>()

function mirrorsIn(schema: JsonObject): readonly Mirror[] {
  const before = known.get(schema)
  if (before !== undefined) return before
  const found = mirrorsOf(schema)
  // With a wrong schema the headers cannot be compared, and clients send none for it.
  const mirrors = typeof found === 'string' ? NONE : found
  known.set(schema, mirrors)
  return mirrors
}

/**
 * Since 2026-07-28 a tool may require arguments to be repeated in headers (`x-mcp-header`). They must be equal, because proxies may
 * route by them.
 */
export function mirrorFault(schema: JsonObject, args: Json, exchange: McpExchange): RpcRefusal | undefined {
  for (const { header, path } of mirrorsIn(schema)) {
    const name = `Mcp-Param-${header}`
    const said = exchange.header(name.toLowerCase())
    const meant = at(args, path)
    if (typeof meant !== 'string' && typeof meant !== 'number' && typeof meant !== 'boolean') continue
    if (said === undefined && exchange.may_lack) continue
    if (said === undefined) return mismatch(name, 'it is missing')
    if (!isSame(headerText(said), meant)) return mismatch(name, 'the body has a different value')
  }
  return undefined
}

function isSame(said: string | undefined, meant: string | number | boolean): boolean {
  if (typeof meant === 'number' && said !== undefined && /^-?\d+(\.\d+)?$/.test(said)) return Number(said) === meant
  return said === String(meant)
}

function at(value: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (node, key) => (isJsonObject(node) && Object.hasOwn(node, key) ? node[key] : undefined),
    value,
  )
}
