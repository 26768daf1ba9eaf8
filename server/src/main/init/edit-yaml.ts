import { isDeepStrictEqual } from 'node:util'
import { isMap, isScalar, isSeq, LineCounter, parse, parseDocument, stringify, type Node } from 'yaml'

export type YamlEdit = {
  readonly at: readonly string[]
  readonly remove: readonly string[]
  readonly add: { readonly name: string; readonly value: Readonly<Record<string, unknown>> }
}

/** A server in the file: its first line, and the line after its last one. */
type Block = { readonly name: string; readonly start: number; readonly end: number; readonly indent: number }

/**
 * A YAML file with some servers removed and one added in the place of the first of them. Everything else is unchanged, byte for
 * byte, with its comments; comments right above a removed server are removed with it. Undefined if the servers are not written as
 * a block of lines, or if something else in the file refers to a removed one.
 */
export function editYaml(text: string, edit: YamlEdit): string | undefined {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = text.split(/\r?\n/)
  const found = blocksIn(text, lines, edit.at)
  if (found === undefined) return undefined
  const isRemoved = ({ name }: Block) => edit.remove.includes(name) || name === edit.add.name
  const gone = found.blocks.filter(isRemoved).map((block) => withComments(lines, block))
  const last = found.blocks.at(-1)
  const first = gone[0]?.start ?? last?.end
  if (first === undefined || last === undefined) return undefined
  const added = entryLines(edit.add, found.isList, last.indent)
  const kept = lines.flatMap((line, at) => {
    const isGone = gone.some(({ start, end }) => at >= start && at < end)
    return [...(at === first ? added : []), ...(isGone ? [] : [line])]
  })
  if (first >= lines.length) kept.push(...added)
  const next = kept.join(eol)
  return isDeepStrictEqual(readAs(next), expected(text, edit)) ? next : undefined
}

function blocksIn(text: string, lines: readonly string[], at: readonly string[]) {
  const counter = new LineCounter()
  const document = parseDocument(text, { lineCounter: counter })
  if (document.errors.length > 0) return undefined
  const node = document.getIn(at, true)
  if ((!isMap(node) && !isSeq(node)) || node.flow === true) return undefined
  const lineOf = (offset: number) => counter.linePos(offset).line - 1
  const heads = isMap(node)
    ? node.items.map(({ key, value }) => ({ head: key as Node, name: isScalar(key) ? String(key.value) : '', value }))
    : node.items.map((item) => ({ head: item as Node, name: isMap(item) ? String(item.get('name')) : '', value: item }))
  const blocks = heads.map(({ head, name, value }): Block => {
    const start = lineOf(head.range?.[0] ?? 0)
    const indent = /^\s*/.exec(lines[start] ?? '')?.[0].length ?? 0
    const stop = (isNodeWithRange(value) ? value.range?.[1] : undefined) ?? head.range?.[1] ?? 0
    return { name, start, end: lineOf(Math.max(0, stop - 1)) + 1, indent }
  })
  return { blocks, isList: isSeq(node) }
}

const isNodeWithRange = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Comments right above a server are about that server. */
function withComments(lines: readonly string[], { start, end, ...block }: Block): Block {
  let from = start
  while (new RegExp(`^ {${block.indent}}#`).test(lines[from - 1] ?? '')) from -= 1
  let to = end
  while (to > start + 1 && (lines[to - 1] ?? '').trim() === '') to -= 1
  return { ...block, start: from, end: to }
}

function entryLines({ name, value }: YamlEdit['add'], isList: boolean, indent: number): readonly string[] {
  const written = isList
    ? stringify([{ name, ...value }], { lineWidth: 0 })
    : stringify({ [name]: value }, { lineWidth: 0 })
  return written
    .trimEnd()
    .split('\n')
    .map((line) => `${' '.repeat(indent)}${line}`)
}

function readAs(text: string): unknown {
  try {
    return parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What the file has to mean afterwards. */
function expected(text: string, { at, remove, add }: YamlEdit): unknown {
  const whole = parse(text) as Record<string, unknown>
  const key = at.at(-1) ?? ''
  let parent = whole
  for (const step of at.slice(0, -1)) parent = parent[step] as Record<string, unknown>
  const isKept = (name: unknown) => name !== add.name && !remove.includes(String(name))
  const before = parent[key] as Record<string, unknown> | readonly Record<string, unknown>[]
  if (!Array.isArray(before)) {
    const kept = Object.entries(before).filter(([name]) => isKept(name))
    parent[key] = { ...Object.fromEntries(kept), [add.name]: add.value }
    return whole
  }
  const place = before.findIndex(({ name }) => !isKept(name))
  const kept = before.filter(({ name }) => isKept(name))
  parent[key] = kept.toSpliced(place < 0 ? kept.length : place, 0, { name: add.name, ...add.value })
  return whole
}
