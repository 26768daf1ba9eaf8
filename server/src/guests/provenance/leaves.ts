import type { ToolResult } from '../../kernel/contract/call.ts'
import { asksIn } from '../../kernel/approvals/asks.ts'
import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { readWords } from './text.ts'
import { parseLiteral } from './literal.ts'

/** A string, number or boolean of an output, and its place. */
export type Leaf = {
  readonly text: string
  /** A JSON pointer into the structured output, or into the text block's own structure. */
  readonly path: string
  /** The name of the nearest field that is not an index. */
  readonly key: string
}

/** Leaves that belong together: the fields of an object, the lines of a paragraph. May be empty. */
export type RecordOf = { readonly leaves: readonly Leaf[] }

const MOST_DEPTH = 40

/** Splits an output into records: structured content as it is, text as JSON if it is JSON, otherwise as lines. */
export function recordsOf(result: ToolResult): Iterable<RecordOf> {
  const line = onlyLine(result)
  return line === undefined ? allRecords(result) : recordOfLine(line, '/content/0/text')
}

/** The usual short answer: one line of text, and nothing else. */
function onlyLine({ content, structuredContent, _meta }: ToolResult): string | undefined {
  const [block] = content
  if (block === undefined || content.length > 1 || structuredContent !== undefined || _meta !== undefined)
    return undefined
  const text = block['type'] === 'text' ? block['text'] : undefined
  if (typeof text !== 'string' || text.length > LONGEST_FIELD_LINE || text.includes('\n')) return undefined
  return parseLiteral(text) === undefined ? text : undefined
}

function* allRecords(result: ToolResult): Generator<RecordOf> {
  if (result.structuredContent !== undefined) yield* recordsOfJson(result.structuredContent, '/structuredContent')
  // A tool's questions are its own text too.
  const asks = asksIn(result._meta)
  if (asks !== undefined) yield* recordsOfJson(asks.requests, '/_meta/asks')
  const whole = result.structuredContent === undefined ? undefined : JSON.stringify(result.structuredContent)
  for (const [index, block] of result.content.entries()) {
    const at = `/content/${index}`
    const text = block['type'] === 'text' ? block['text'] : undefined
    if (typeof text !== 'string') yield* recordsOfJson(block, at)
    else if (!isSame(text, whole)) yield* recordsOfText(text, `${at}/text`)
  }
}

/** Servers repeat structured content as text. Reading it once is enough. */
function isSame(text: string, structured: string | undefined): boolean {
  if (structured === undefined) return false
  if (text === structured) return true
  try {
    return JSON.stringify(JSON.parse(text)) === structured
  } catch {
    return false
  }
}

export function* recordsOfText(text: string, path: string): Generator<RecordOf> {
  const parsed = parseLiteral(text)
  if (parsed !== undefined && typeof parsed === 'object') yield* recordsOfJson(parsed, path)
  else yield* recordsOfLines(typeof parsed === 'string' ? parsed : text, path)
}

type Inner = { readonly value: Json; readonly path: string; readonly key: string; readonly level: number }

/** An object's own values come first and together, then the objects inside it, so that the fields of one record are adjacent. */
function* recordsOfJson(json: Json, path: string, key = '', depth = 0): Generator<RecordOf> {
  const leaves: Leaf[] = []
  const inner: Inner[] = []
  const visit = (value: Json, at: string, name: string, level: number): void => {
    if (value === null || level > MOST_DEPTH) return
    if (typeof value === 'string' && isTextOfLines(value)) inner.push({ value, path: at, key: name, level })
    else if (typeof value !== 'object') leaves.push({ text: String(value), path: at, key: name })
    else if (Array.isArray(value)) value.forEach((item: Json, index) => visit(item, `${at}/${index}`, name, level + 1))
    else if (value === json) visitFields(value as { readonly [name: string]: Json }, at, level)
    else inner.push({ value, path: at, key: name, level: level + 1 })
  }
  const visitFields = (fields: { readonly [name: string]: Json }, at: string, level: number): void => {
    for (const [field, value] of Object.entries(fields)) {
      if (!SCHEMA_KEY.test(field)) leaves.push({ text: field, path: at, key: NAME_OF_FIELD })
      visit(value, `${at}/${escape(field)}`, field, level + 1)
    }
  }
  visit(json, path, key, depth)
  if (leaves.length > 0) yield { leaves }
  for (const { value, path: at, key: name, level } of inner)
    yield* typeof value === 'string' ? recordsOfText(value, at) : recordsOfJson(value, at, name, level)
}

/** The name of a field that is itself a name, such as a person or an id, rather than an attribute. */
export const NAME_OF_FIELD = '\u0000name'
const SCHEMA_KEY = /^[a-z][A-Za-z_]*$|^[A-Z][a-z]+$/

/** A long string of several lines inside a structure is a text: reviews, a file, a mail. */
const isTextOfLines = (text: string): boolean => text.includes('\n') && /^[\w .-]{1,40}: /m.test(text)

const escape = (key: string) =>
  key.includes('/') || key.includes('~') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key

/** The name before the colon of a field, possibly as a list item. */
const FIELD_NAME = /^[\s>*-]*(\p{L}[\p{L}\p{N} _.#/()-]{0,40})$/u
const STARTS_WITH_DIGIT = /^[\s>*-]*\d/
const LONGEST_NAME = 80
/** Cached, because the same few names precede thousands of values. */
const names = new Map<string, string | undefined>()
const MOST_NAMES = 1_000

function fieldName(before: string): string | undefined {
  // Such as `12: …`: there are too many different ones to be worth caching.
  if (STARTS_WITH_DIGIT.test(before)) return undefined
  if (names.has(before)) return names.get(before)
  const name = FIELD_NAME.exec(before)?.[1]
  if (names.size >= MOST_NAMES) names.clear()
  names.set(before, name)
  return name
}

function fieldIn(line: string): { readonly name: string; readonly value: string } | undefined {
  const colon = line.indexOf(':')
  const space = line.charCodeAt(colon + 1)
  if (colon < 1 || colon > LONGEST_NAME || (space !== 0x20 && space !== 0x09)) return undefined
  const value = line.slice(colon + 1).trim()
  const name = value === '' ? undefined : fieldName(line.slice(0, colon))
  return name === undefined ? undefined : { name, value }
}

/** The same as `recordsOfLines` for a single line. */
function recordOfLine(line: string, path: string): readonly RecordOf[] {
  if (isBlank(line)) return []
  const { name, value } = fieldIn(line) ?? { name: '', value: isShortLine(line) ? line.trim() : line }
  return [{ leaves: [{ text: value, path, key: name }] }]
}

/** Lines of `name: value` are fields; paragraphs are records. There is no other structure to use. */
function* recordsOfLines(text: string, path: string): Generator<RecordOf> {
  let leaves: Leaf[] = []
  let prose: string[] = []
  const flushProse = () => {
    if (prose.length > 0) leaves.push({ text: prose.join('\n'), path, key: '' })
    prose = []
  }
  const flushed = (): RecordOf[] => {
    flushProse()
    const record = { leaves }
    leaves = []
    return record.leaves.length > 0 ? [record] : []
  }
  let lines = 0
  for (const line of linesOf(text)) {
    lines += 1
    if (lines % MOST_LINES === 0) {
      const [record = { leaves: [] }] = flushed()
      yield record
    }
    if (isBlank(line)) {
      if (leaves.length > 0 || prose.length > 0) yield* flushed()
      continue
    }
    const field = line.length <= LONGEST_FIELD_LINE ? fieldIn(line) : undefined
    if (field === undefined) {
      if (isShortLine(line)) {
        flushProse()
        leaves.push({ text: line.trim(), path, key: '' })
      } else prose.push(line)
      continue
    }
    flushProse()
    // A new list item starts a new record.
    if (/^\s*-\s/.test(line)) yield* flushed()
    leaves.push({ text: field.value, path, key: field.name })
  }
  yield* flushed()
}

/** A generator, because building a list of all lines of a long text would take long. */
function* linesOf(text: string): Generator<string> {
  for (let from = 0; from <= text.length;) {
    const end = text.indexOf('\n', from)
    yield text.slice(from, end === -1 ? text.length : end)
    if (end === -1) return
    from = end + 1
  }
}

const isBlank = (line: string): boolean =>
  line === '' || (line.length <= LONGEST_FIELD_LINE && (line.trim() === '' || /^\s*(?:-{3,}|={3,})\s*$/.test(line)))
/** A record ends after this many lines, so that none takes long to build. It may be empty. */
const MOST_LINES = 1_000
/** A longer line is a text, whatever it begins with. */
const LONGEST_FIELD_LINE = 16_384
const isShortLine = (line: string): boolean => line.length <= 60 && !/[.!?]\s*$/.test(line)

/** The leaves of arguments, which are always JSON. */
export function argumentLeaves(json: Json): Leaf[] {
  const found: Leaf[] = []
  addLeaves(found, json, '', '', 0)
  return found
}

function addLeaves(found: Leaf[], value: Json, path: string, key: string, depth: number): void {
  if (value === null || depth > MOST_DEPTH) return
  if (typeof value !== 'object') found.push({ text: String(value), path, key })
  else if (Array.isArray(value))
    value.forEach((item: Json, index) => addLeaves(found, item, `${path}/${index}`, key, depth + 1))
  else if (isJsonObject(value))
    for (const field of Object.keys(value))
      addLeaves(found, value[field] ?? null, `${path}/${escape(field)}`, field, depth + 1)
}

const PIECE = 16_384

/** Splits a very long text into pieces, at spaces. */
export function piecesOf(record: RecordOf): readonly RecordOf[] {
  if (record.leaves.every(({ text }) => text.length <= PIECE)) return [record]
  return record.leaves.flatMap((leaf) => {
    const pieces: RecordOf[] = []
    for (let from = 0; from < leaf.text.length;) {
      const space = leaf.text.slice(from, from + PIECE).lastIndexOf(' ')
      const to = from + PIECE >= leaf.text.length ? leaf.text.length : from + (space > 0 ? space : PIECE)
      pieces.push({ leaves: [{ ...leaf, text: leaf.text.slice(from, to) }] })
      from = to
    }
    return pieces
  })
}

/** The leaves of an answer in the order in which a session counts them: those that contain a word. */
export function leavesOf(result: ToolResult): readonly Leaf[] {
  const found: Leaf[] = []
  for (const record of recordsOf(result))
    for (const piece of piecesOf(record))
      for (const leaf of piece.leaves) if (readWords(leaf.text, 1).length > 0) found.push(leaf)
  return found
}
