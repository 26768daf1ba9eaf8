import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'

const LONGEST_CHAIN = 20

/** The value at a pointer such as `#/components/schemas/Pet`; undefined if there is none, or it leads out of the file. */
export function atPointer(root: JsonObject, reference: string): Json | undefined {
  if (!reference.startsWith('#/')) return undefined
  let node: Json | undefined = root
  for (const step of stepsOf(reference)) {
    if (Array.isArray(node)) node = node[Number(step)] as Json | undefined
    else node = isJsonObject(node) && Object.hasOwn(node, step) ? node[step] : undefined
  }
  return node
}

export function stepsOf(reference: string): readonly string[] {
  return reference
    .slice('#/'.length)
    .split('/')
    .map((step) => unescape(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function unescape(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

/** An object, after following its `$ref`s. A sentence if a reference does not resolve. */
export function followed(root: JsonObject, node: Json | undefined): JsonObject | string {
  let at = node
  for (let links = 0; links < LONGEST_CHAIN; links += 1) {
    if (!isJsonObject(at)) return 'something that should be an object is not'
    const reference = at['$ref']
    if (reference === undefined) return at
    if (typeof reference !== 'string' || !reference.startsWith('#/'))
      return `\`$ref\` points outside the file (${shown(reference)}); nothing is fetched`
    at = atPointer(root, reference)
    if (at === undefined) return `\`$ref\` points to nothing (${shown(reference)})`
  }
  return '`$ref`s that refer to each other'
}

export const shown = (reference: Json): string => JSON.stringify(reference).slice(0, 120)
