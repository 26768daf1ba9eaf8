import { isDeepStrictEqual } from 'node:util'
import { getNodeValue, parseTree, visit, type Node, type ParseError } from 'jsonc-parser'
import { trimmedEnd } from '../../kernel/contract/trimmed.ts'

/** What a text means that is JSON with comments and trailing commas, as editors allow in their settings. Throws if it is not. */
export const readJsonc = (text: string): unknown => valueOf(treeOf(text))

function treeOf(text: string): Node {
  const errors: ParseError[] = []
  const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  if (tree === undefined || errors.length > 0) throw new SyntaxError('not JSON')
  return tree
}

/** Of equal keys the last one counts. Written and read again, because the library's objects have no prototype. */
const valueOf = (tree: Node): unknown => JSON.parse(JSON.stringify(getNodeValue(tree)))

/** The same length, so that positions stay valid. */
export function withoutComments(text: string): string {
  let bare = ''
  visit(text, {
    onComment(offset, length) {
      bare += text.slice(bare.length, offset) + ' '.repeat(length)
    },
  })
  return bare + text.slice(bare.length)
}

type TextSpan = { readonly start: number; readonly end: number }
type Member = TextSpan & { readonly name: string; readonly value: Node }

const spanOf = ({ offset, length }: Node): TextSpan => ({ start: offset, end: offset + length })

/** The members of an object, in order; undefined for anything else. */
function membersOf(node: Node | undefined): readonly Member[] | undefined {
  if (node?.type !== 'object') return undefined
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined
      ? []
      : [{ name: String(key.value), value, start: key.offset, end: spanOf(value).end }],
  )
}

/** Undefined if it is not there, or twice: programs differ in which of two they read. */
function nodeAt(tree: Node, path: readonly string[]): Node | undefined {
  let node: Node | undefined = tree
  for (const key of path) {
    const found: readonly Member[] = membersOf(node)?.filter(({ name }) => name === key) ?? []
    node = found.length === 1 ? found[0]?.value : undefined
  }
  return node
}

export type MemberEdit = {
  /** The keys that lead to the object. */
  readonly at: readonly string[]
  readonly remove: readonly string[]
  readonly add: { readonly name: string; readonly value: unknown }
}

/**
 * The same text with members of one object removed and one added at its end. Comments, order and formatting of the rest are kept,
 * byte for byte. Undefined if there is no such object, if one of the members is there twice, or if the result would mean something
 * else. Throws if the text is not JSON.
 */
export function editMembers(text: string, { at, remove, add }: MemberEdit): string | undefined {
  const tree = treeOf(text)
  const object = nodeAt(tree, at)
  const members = membersOf(object)
  if (object === undefined || members === undefined) return undefined
  const gone = new Set([...remove, add.name])
  const [out, kept] = [members.filter(({ name }) => gone.has(name)), members.filter(({ name }) => !gone.has(name))]
  if (new Set(out.map(({ name }) => name)).size < out.length) return undefined
  const span = spanOf(object)
  const bare = withoutComments(text)
  const cuts = out.map((member) => linesOf(text, bare, span, member))
  const next = withoutCuts(text, cuts, insertion(text, bare, { span, kept, add, depth: at.length }))
  return means(next, expected(tree, { at, remove, add })) ? next : undefined
}

function means(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(readJsonc(text), value)
  } catch {
    return false
  }
}

/** What the file has to mean afterwards. */
function expected(tree: Node, { at, remove, add }: MemberEdit): unknown {
  const whole = valueOf(tree) as Record<string, unknown>
  let object = whole
  for (const key of at) object = object[key] as Record<string, unknown>
  for (const name of remove) delete object[name]
  object[add.name] = JSON.parse(JSON.stringify(add.value))
  return whole
}

type Insert = { readonly at: number; readonly text: string; readonly comma?: number }

/** From the first line of a member to its last, with the comma and a comment after it; comments above it are removed with it. */
function linesOf(text: string, bare: string, span: TextSpan, { start, end }: Member): TextSpan {
  const before = Math.max(bare.lastIndexOf(',', start - 1), span.start)
  const opens = bare.slice(before, start).includes('\n') ? endOfLine(text, before + 1) : before + 1
  const next = bare.slice(end).search(/\S/) + end
  const closes = bare[next] === ',' ? next + 1 : end
  const line = endOfLine(text, closes)
  // What follows on the same line is another member, or a comment about this one.
  return { start: opens, end: bare.slice(closes, line).trim() === '' ? line : closes }
}

function endOfLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  if (at === -1) return from
  return text[at - 1] === '\r' ? at - 1 : at
}

type Added = {
  readonly span: TextSpan
  readonly kept: readonly Member[]
  readonly add: MemberEdit['add']
  readonly depth: number
}

function insertion(text: string, bare: string, { span, kept, add, depth }: Added): Insert {
  const last = kept.at(-1)
  const close = span.end - 1
  const hasComma = last === undefined || bare.slice(last.end, close).trimStart().startsWith(',')
  const comma = hasComma ? {} : { comma: last.end }
  const indent = /^[ \t]+(?=")/m.exec(text)?.[0] ?? '  '
  const isOneLine = !text.slice(span.start, span.end).includes('\n') && kept.length > 0
  if (isOneLine) return { at: close, text: ` ${JSON.stringify(add.name)}: ${JSON.stringify(add.value)}`, ...comma }
  const inner = indent.repeat(depth + 1)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const value = JSON.stringify(add.value, null, indent).replaceAll('\n', `${eol}${inner}`)
  const before = text.slice(0, close)
  const space = before.length - trimmedEnd(before, ' \t\r\n').length
  return {
    at: close - space,
    text: `${eol}${inner}${JSON.stringify(add.name)}: ${value}${eol}${indent.repeat(depth)}`,
    ...comma,
  }
}

/** Everything after the insertion up to the closing bracket is white space, which the inserted text already has. */
function withoutCuts(text: string, cuts: readonly TextSpan[], insert: Insert): string {
  const close = insert.at + text.slice(insert.at).search(/[^ \t\r\n]/)
  const gone = [...cuts, { start: insert.at, end: close }]
  const edges = new Set([0, insert.comma ?? 0, ...gone.flatMap(({ start, end }) => [start, end])])
  const sorted = [...edges].toSorted((one, other) => one - other)
  const pieces = sorted.map((from, index) => {
    const added = (from === insert.comma ? ',' : '') + (from === insert.at ? insert.text : '')
    return (
      added + (gone.some(({ start, end }) => from >= start && from < end) ? '' : text.slice(from, sorted[index + 1]))
    )
  })
  return pieces.join('')
}
