import type { Answerable } from '../../contract/asks.ts'
import { isJsonObject, type Json, type JsonObject } from '../../contract/json.ts'

/** Of what a client can be asked, the parts that say how. A page to open is not among them: the only one is the gate's own. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  elicitation: ['form'],
  sampling: ['tools', 'context'],
  roots: [],
}

/**
 * What a tool may ask the client on the way, by what the client declared. Nothing else of that goes to a tool server: these are
 * our words, not the client's.
 */
export function answerableOf(capabilities: Json | undefined): Answerable | undefined {
  if (!isJsonObject(capabilities)) return undefined
  const known = read.get(capabilities)
  if (known !== undefined) return known.can
  const answerable = readAnswerable(capabilities)
  read.set(capabilities, { can: answerable })
  return answerable
}

/** An older client declares them once for its session. */
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

/** One that names no way to be asked takes forms. */
const isOnlyPages = (name: string, { form, url }: JsonObject): boolean =>
  name === 'elicitation' && form === undefined && url !== undefined
