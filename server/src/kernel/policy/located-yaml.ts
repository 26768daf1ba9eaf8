import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, parseDocument, visit } from 'yaml'
import type { PolicyFault } from '../contract/policy.ts'

export type YamlPath = readonly (string | number)[]
export type YamlPlace = { readonly line: number; readonly column: number }

/** Parsed YAML, with the position of each value. */
export type LocatedYaml = {
  readonly value: unknown
  /** Where a value begins; for a path that does not exist, its nearest existing ancestor. */
  placeOf(path: YamlPath): YamlPlace
  /** The position of the key itself. */
  placeOfKey(path: YamlPath, key: string): YamlPlace
  /** The position in the file of a character within a string value. */
  placeInside(path: YamlPath, character: number): YamlPlace
}

export type YamlFault = Omit<PolicyFault, 'file'>

/** Only a plain subset of YAML 1.2: one document, no aliases, no tags, no duplicate keys. Faults are in document order. */
export function locateYaml(
  text: string,
): { readonly ok: true; readonly yaml: LocatedYaml } | { readonly ok: false; readonly faults: readonly YamlFault[] } {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    stringKeys: true,
    schema: 'core',
    merge: false,
    logLevel: 'error',
  })
  const placeAt = (offset: number): YamlPlace => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const faults = [...document.errors, ...document.warnings]
    .filter(({ code }) => code !== 'TAG_RESOLVE_FAILED')
    .map(({ pos, code, message }): YamlFault => ({
      ...placeAt(pos[0]),
      ...sayYaml(code, message),
    }))
  visit(document, (_key, node) => {
    if (!isNode(node) || !(isAlias(node) || node.tag !== undefined)) return
    const what = isAlias(node) ? 'an alias' : `the tag \`${node.tag ?? ''}\``
    faults.push({
      ...placeAt(node.range?.[0] ?? 0),
      says: `${what} is not supported here`,
      instead: 'write the value in full',
    })
  })
  if (faults.length > 0) return { ok: false, faults: faults.sort(byPlace) }

  const nodeAt = (path: YamlPath): Node | undefined => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      if (isNode(node)) return node
    }
    return undefined
  }
  return {
    ok: true,
    yaml: {
      value: document.toJS(),
      placeOf: (path) => placeAt(nodeAt(path)?.range?.[0] ?? 0),
      placeOfKey: (path, key) => {
        const map = nodeAt(path)
        const pair = isMap(map) ? map.items.find((item) => isScalar(item.key) && item.key.value === key) : undefined
        return placeAt((isNode(pair?.key) ? pair.key.range?.[0] : undefined) ?? map?.range?.[0] ?? 0)
      },
      placeInside: (path, character) => {
        const node = nodeAt(path)
        const start = node?.range?.[0] ?? 0
        if (!isScalar(node) || typeof node.value !== 'string' || isSeq(node)) return placeAt(start)
        return placeAt(offsetInside(text, start, node.value, character))
      },
    },
  }
}

export const byPlace = (a: YamlPlace, b: YamlPlace) => a.line - b.line || a.column - b.column

/**
 * Follows a scalar's characters through the source, across indentation, folded line ends, quotes and block headers. After an
 * escape the position is uncertain, so the start of the scalar is returned.
 */
function offsetInside(text: string, start: number, value: string, character: number): number {
  let at = start
  const header = /^[|>][^\n]*\n/.exec(text.slice(start, start + 200))
  if (header !== null) at += header[0].length
  else if (text[start] === '"' || text[start] === "'") at += 1
  for (let i = 0; i <= character && i < value.length; i += 1) {
    const wanted = value[i] ?? ''
    while (text[at] !== wanted && isSpace(text[at]) && !isSpace(wanted)) at += 1
    if (text[at] !== wanted && !(isSpace(wanted) && isSpace(text[at]))) return start
    if (i < character) at += 1
  }
  return at
}

const isSpace = (character: string | undefined) => character === ' ' || character === '\n' || character === '\r'

function sayYaml(code: string, message: string): Pick<PolicyFault, 'says' | 'instead'> {
  if (code === 'DUPLICATE_KEY') return { says: 'this key is repeated', instead: 'keep one of them' }
  if (code === 'MULTIPLE_DOCS')
    return { says: 'a second YAML document starts here', instead: 'use one document per file' }
  if (code === 'TAB_AS_INDENT') return { says: 'YAML cannot be indented with tabs', instead: 'indent with spaces' }
  const first = message.split('\n', 1)[0] ?? ''
  return { says: `not YAML: ${first.charAt(0).toLowerCase()}${first.slice(1)}`, instead: 'correct the YAML' }
}
