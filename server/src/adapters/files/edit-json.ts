import { isDeepStrictEqual } from 'node:util'
import { membersIn, plainJson, spanOf, withoutComments, type Member, type TextSpan } from './jsonc.ts'
import { trimmedEnd } from '../../kernel/contract/trimmed.ts'

export type MemberEdit = {
  /** The keys that lead to the object. */
  readonly at: readonly string[]
  readonly remove: readonly string[]
  readonly add: { readonly name: string; readonly value: unknown }
}

/**
 * The same text with members of one object removed and one added at its end. Comments, order and formatting of the rest are kept,
 * byte for byte. Undefined if there is no such object, or if the result would mean something else.
 */
export function editMembers(text: string, { at, remove, add }: MemberEdit): string | undefined {
  const json = plainJson(text)
  const span = spanOf(json, at)
  if (span === undefined || json[span.start] !== '{') return undefined
  const members = membersIn(json, span)
  const gone = new Set([...remove, add.name])
  const bare = withoutComments(text)
  const kept = members.filter(({ name }) => !gone.has(name))
  const cuts = members.filter(({ name }) => gone.has(name)).map((member) => linesOf(text, bare, span, member))
  const next = withoutCuts(text, cuts, insertion(text, bare, { span, kept, add, depth: at.length }))
  return isDeepStrictEqual(valueOf(next), expected(text, { at, remove, add })) ? next : undefined
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(plainJson(text)) as unknown
  } catch {
    return undefined
  }
}

/** What the file has to mean afterwards. */
function expected(text: string, { at, remove, add }: MemberEdit): unknown {
  const whole = JSON.parse(plainJson(text)) as Record<string, unknown>
  let object = whole
  for (const key of at) object = object[key] as Record<string, unknown>
  for (const name of remove) delete object[name]
  object[add.name] = JSON.parse(JSON.stringify(add.value))
  return whole
}

type Cut = { readonly start: number; readonly end: number }
type Insert = { readonly at: number; readonly text: string; readonly comma?: number }

/** From the first line of a member to its last, with the comma and a comment after it; comments above it are removed with it. */
function linesOf(text: string, bare: string, span: TextSpan, { start, end }: Member): Cut {
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
  if (isOneLine) return { at: close, text: ` "${add.name}": ${JSON.stringify(add.value)}`, ...comma }
  const inner = indent.repeat(depth + 1)
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const value = JSON.stringify(add.value, null, indent).replaceAll('\n', `${eol}${inner}`)
  const before = text.slice(0, close)
  const space = before.length - trimmedEnd(before, ' \t\r\n').length
  return { at: close - space, text: `${eol}${inner}"${add.name}": ${value}${eol}${indent.repeat(depth)}`, ...comma }
}

/** Everything after the insertion up to the closing bracket is white space, which the inserted text already has. */
function withoutCuts(text: string, cuts: readonly Cut[], insert: Insert): string {
  const isCut = (at: number) => cuts.some(({ start, end }) => at >= start && at < end)
  let out = ''
  for (let at = 0; at < text.length; at++) {
    if (at === insert.comma) out += ','
    if (at === insert.at) {
      out += insert.text
      while (/[ \t\r\n]/.test(text.charAt(at))) at++
    }
    if (!isCut(at)) out += text.charAt(at)
  }
  return out
}
