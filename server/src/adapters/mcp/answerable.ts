import type { Answerable } from '../../kernel/approvals/asks.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'

/**
 * The parts of a client's capabilities that say how it can be asked. Opening a page is not one of them, because only
 * the gate opens pages.
 */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form'],
  sampling: ['tools', 'context'],
  roots: [],
}

/**
 * What a tool may ask the client during a call, from the client's declared capabilities. A tool server gets nothing else of that
 * declaration, and nothing in the client's own words.
 */
export function answerableOf(capabilities: Json | undefined): Answerable | undefined {
  if (!isJsonObject(capabilities)) return undefined
  const known = read.get(capabilities)
  if (known !== undefined) return known.can
  const answerable = readAnswerable(capabilities)
  read.set(capabilities, { can: answerable })
  return answerable
}

/** Cached, because a client from before 2026-07-28 declares them once per session. */
const read = new WeakMap<JsonObject, { readonly can: Answerable | undefined }>()

function readAnswerable(capabilities: JsonObject): Answerable | undefined {
  const can: Record<string, JsonObject> = {}
  for (const [name, parts] of Object.entries(PARTS)) {
    const declared = capabilities[name]
    if (!isJsonObject(declared) || isOnlyPages(name, declared)) continue
    can[name] = Object.fromEntries(parts.filter((part) => declared[part] !== undefined).map((part) => [part, {}]))
  }
  return Object.keys(can).length === 0 ? undefined : can
}

/** A client that names no mode supports forms. */
const isOnlyPages = (name: string, { form, url }: JsonObject): boolean =>
  name === 'elicitation' && form === undefined && url !== undefined
