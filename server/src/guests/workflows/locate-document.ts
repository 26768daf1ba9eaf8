import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Node,
  type YAMLMap,
} from 'yaml'
import type { DocumentFault, DocumentPlace } from './raw-document.ts'

/** A document as a plain value, with the position of everything in it. */
export type LocatedDocument = {
  readonly value: unknown
  readonly faults: readonly DocumentFault[]
  /** A fault at a value; if it does not exist, at its nearest existing ancestor. */
  at(path: DocumentPlace, says: string): DocumentFault
  /** A fault at a key of the map at `path`. */
  atKey(path: DocumentPlace, key: string, says: string): DocumentFault
}

/** How deep a document may be nested, far beyond normal use. */
const MAX_DEPTH = 64

/**
 * A plain subset of YAML 1.2: one document, no aliases, no tags. Text that is not YAML has no value; every other fault leaves the
 * rest readable, so that all mistakes are found at once.
 */
export function locateDocument(text: string): LocatedDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    stringKeys: true,
    schema: 'core',
    merge: false,
    logLevel: 'error',
  })
  const placed = (offset: number, path: string, says: string): DocumentFault => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col, path, says }
  }
  // Only the first syntax error: the parser reports others that follow from it.
  const faults: DocumentFault[] = document.errors
    .slice(0, 1)
    .map(({ pos, message }) => placed(pos[0], '', `not YAML: ${message.split('\n', 1)[0] ?? ''}`))
  visit(document, (_, node, above) => {
    if (!isNode(node)) return undefined
    const offset = node.range?.[0] ?? 0
    if (isAlias(node)) faults.push(placed(offset, '', 'aliases are not supported; write the value in full'))
    else if (node.tag !== undefined) faults.push(placed(offset, '', `the tag \`${node.tag}\` is not supported`))
    if (above.length > MAX_DEPTH) {
      faults.push(placed(offset, '', `nested deeper than ${MAX_DEPTH}`))
      return visit.BREAK
    }
    return undefined
  })
  if (faults.length > 0)
    return { value: undefined, faults, at: () => placed(0, '', ''), atKey: () => placed(0, '', '') }

  const nodeAt = (path: DocumentPlace): Node | undefined => {
    for (let length = path.length; length >= 0; length -= 1) {
      const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true)
      if (isNode(node)) return node
    }
    return undefined
  }
  const offsetOfKey = (map: Node | undefined, key: string) =>
    (isMap(map) ? keyNode(map, key) : undefined)?.range?.[0] ?? map?.range?.[0] ?? 0
  return {
    value: document.toJS(),
    faults: duplicateKeys(document.contents, [], (offset, path, says) => placed(offset, pathText(path), says)),
    at: (path, says) => placed(nodeAt(path)?.range?.[0] ?? 0, pathText(path), says),
    atKey: (path, key, says) => placed(offsetOfKey(nodeAt(path), key), pathText([...path, key]), says),
  }
}

function keyNode(map: YAMLMap, key: string): Node | undefined {
  const pair = map.items.findLast((item) => isScalar(item.key) && String(item.key.value) === key)
  return isNode(pair?.key) ? pair.key : undefined
}

type Placed = (offset: number, path: DocumentPlace, says: string) => DocumentFault

function duplicateKeys(node: unknown, path: DocumentPlace, placed: Placed): DocumentFault[] {
  if (isSeq(node)) return node.items.flatMap((item, index) => duplicateKeys(item, [...path, index], placed))
  if (!isMap(node)) return []
  const seen = new Set<string>()
  return node.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : ''
    const below = duplicateKeys(value, [...path, name], placed)
    const isTwice = seen.has(name)
    seen.add(name)
    if (!isTwice) return below
    const isSchema = path.join('.') === 'workflow.schemas'
    const says = isSchema ? `workflow schemas contains duplicate key ${name}` : `the key \`${name}\` is repeated`
    return [placed((isNode(key) ? key.range?.[0] : undefined) ?? 0, [...path, name], says), ...below]
  })
}

/** `workflow.protocols[0].steps[1].tool`. */
export function pathText(path: DocumentPlace): string {
  return path.map((step, at) => (typeof step === 'number' ? `[${step}]` : at === 0 ? step : `.${step}`)).join('')
}
