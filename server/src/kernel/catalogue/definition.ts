import canonicalize from 'canonicalize'
import { isJsonObject, type Json, type JsonObject } from '../contract/json.ts'
import type { DefinitionChange } from '../contract/definition-review.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { markedText } from '../contract/visible-text.ts'

const LONGEST_ID = 64
const SUFFIX = 16
const DEEPEST = 100

/** The fields an operator admits. Other fields from a server are dropped. */
const PINNED = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

/**
 * The canonical text that a definition's hash covers. Undefined for a definition without a canonical form (a lone surrogate, a
 * number out of range) or with extreme nesting: such a tool cannot be pinned, so it cannot be offered.
 */
export function definitionText(definition: ToolDefinition): string | undefined {
  const pinned = pinnedOf(definition)
  if (depthOf(pinned) > DEEPEST) return undefined
  try {
    return canonicalize(pinned)
  } catch {
    return undefined
  }
}

/**
 * `server__tool`; an id longer than 64 characters is cut and made unique by the hash of the whole. So is a name with invisible
 * characters: an id is what a person reads, a model repeats and a rule names.
 */
export function toolIdOf(server: string, name: string, digest: (text: string) => string): string {
  const whole = `${server}__${name}`
  const seen = markedText(whole).replaceAll(/[\n\t\r]/g, '·')
  if (seen === whole && whole.length <= LONGEST_ID) return whole
  // Cutting a surrogate pair in half would leave text without a UTF-8 form.
  const kept = seen
    .replaceAll('·', '_')
    .slice(0, LONGEST_ID - SUFFIX - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
  return `${kept}_${digest(whole).slice(0, SUFFIX)}`
}

/**
 * What a person has to read before admitting a definition: every path that differs, with both texts. For a new tool, everything.
 */
export function definitionDiff(before: ToolDefinition | undefined, after: ToolDefinition): readonly DefinitionChange[] {
  return changesAt('', before === undefined ? {} : pinnedOf(before), pinnedOf(after))
}

/** The names of the fields that differ. Only top-level fields: deeper paths would contain names chosen by the server. */
export function changedFields(before: ToolDefinition, after: ToolDefinition): readonly string[] {
  return PINNED.filter((field) => canonicalOf(before[field]) !== canonicalOf(after[field]))
}

function changesAt(path: string, before: Json | undefined, after: Json | undefined): DefinitionChange[] {
  const left = childrenOf(before)
  const right = childrenOf(after)
  if (left !== undefined && right !== undefined && Array.isArray(before) === Array.isArray(after)) {
    const keys = [...new Set([...left.keys(), ...right.keys()])].sort()
    return keys.flatMap((key) => changesAt(`${path}/${escape(key)}`, left.get(key), right.get(key)))
  }
  if (before === after || canonicalOf(before) === canonicalOf(after)) return []
  // Two strings are shown as they are; anything else as JSON, so that 1 and "1" look different.
  if (typeof before === 'string' && typeof after === 'string') return [{ path, before, after }]
  return [
    {
      path,
      ...(before === undefined ? {} : { before: canonicalOf(before) }),
      ...(after === undefined ? {} : { after: canonicalOf(after) }),
    },
  ]
}

function pinnedOf(definition: ToolDefinition): JsonObject {
  return Object.fromEntries(
    PINNED.flatMap((field) => {
      const value = definition[field]
      return value === undefined ? [] : [[field, value] as const]
    }),
  )
}

function childrenOf(value: Json | undefined): ReadonlyMap<string, Json> | undefined {
  if (Array.isArray(value)) return new Map(value.map((item: Json, index) => [String(index), item]))
  return isJsonObject(value) ? new Map(Object.entries(value)) : undefined
}

function depthOf(root: Json): number {
  let depth = 0
  for (let level: Json[] = [root]; level.length > 0 && depth <= DEEPEST; depth += 1)
    level = level.flatMap((value) => [...(childrenOf(value)?.values() ?? [])])
  return depth
}

const canonicalOf = (value: Json | undefined) => (value === undefined ? '' : (canonicalize(value) ?? ''))
/** As in a JSON pointer (RFC 6901). */
const escape = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
