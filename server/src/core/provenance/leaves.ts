import type { ToolResult } from '../../contract/call.ts'
import { asksIn } from '../../contract/asks.ts'
import { isJsonObject, type Json } from '../../contract/json.ts'
import { readWords } from './text.ts'
import { parseLiteral } from './literal.ts'

/** A string, number or boolean of an output, and where it stands. */
export type Leaf = {
  readonly text: string
  /** A JSON pointer into the structured output, or into the text block's own structure. */
  readonly path: string
  /** The field's name, the nearest one that is no index. */
  readonly key: string
}

/** Leaves that belong to one thing: the fields of an object, the lines of a paragraph. */
export type RecordOf = { readonly leaves: readonly Leaf[] }

const MOST_DEPTH = 40

/** Takes an output apart: structured content as it is, text as JSON where it is JSON, else as lines. Calls `each` per record. */
export function eachRecord(result: ToolResult, each: (record: RecordOf) => void): void {
  if (result.structuredContent !== undefined) eachOfJson(result.structuredContent, '/structuredContent', each)
  // What a tool asks back is its own text too.
  const asks = asksIn(result._meta)
  if (asks !== undefined) eachOfJson(asks.requests, '/_meta/asks', each)
  const whole = result.structuredContent === undefined ? undefined : JSON.stringify(result.structuredContent)
  result.content.forEach((block, index) => {
    const at = `/content/${index}`
    const text = block['type'] === 'text' ? block['text'] : undefined
    if (typeof text === 'string') {
      if (!isSame(text, whole)) eachOfText(text, `${at}/text`, each)
    } else eachOfJson(block, at, each)
  })
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

export function eachOfText(text: string, path: string, each: (record: RecordOf) => void): void {
  const parsed = parseLiteral(text)
  if (parsed !== undefined && typeof parsed === 'object') eachOfJson(parsed, path, each)
  else if (typeof parsed === 'string') eachOfLines(parsed, path, each)
  else eachOfLines(text, path, each)
}

/** An object's own values first and together, then the objects inside it: the fields of one record stand side by side. */
export function eachOfJson(json: Json, path: string, each: (record: RecordOf) => void, key = '', depth = 0): void {
  const leaves: Leaf[] = []
  const inner: (() => void)[] = []
  const visit = (value: Json, at: string, name: string, level: number): void => {
    if (value === null || level > MOST_DEPTH) return
    if (typeof value === 'string') {
      if (isTextOfLines(value)) inner.push(() => eachOfText(value, at, each))
      else leaves.push({ text: value, path: at, key: name })
    } else if (typeof value !== 'object') leaves.push({ text: String(value), path: at, key: name })
    else if (Array.isArray(value)) value.forEach((item: Json, index) => visit(item, `${at}/${index}`, name, level + 1))
    else if (value === json) visitFields(value as { readonly [name: string]: Json }, at, level)
    else inner.push(() => eachOfJson(value, at, each, name, level + 1))
  }
  const visitFields = (fields: { readonly [name: string]: Json }, at: string, level: number): void => {
    for (const [field, value] of Object.entries(fields)) {
      if (!SCHEMA_KEY.test(field)) leaves.push({ text: field, path: at, key: NAME_OF_FIELD })
      visit(value, `${at}/${escape(field)}`, field, level + 1)
    }
  }
  visit(json, path, key, depth)
  if (leaves.length > 0) each({ leaves })
  for (const next of inner) next()
}

/** The name of a field that names a thing, such as a person or an id, and no attribute. */
export const NAME_OF_FIELD = '\u0000name'
const SCHEMA_KEY = /^[a-z][A-Za-z_]*$|^[A-Z][a-z]+$/

/** A long string of several lines inside a structure is text of its own: reviews, a file, a mail. */
const isTextOfLines = (text: string): boolean => text.includes('\n') && /^[\w .-]{1,40}: /m.test(text)

const escape = (key: string) =>
  key.includes('/') || key.includes('~') ? key.replaceAll('~', '~0').replaceAll('/', '~1') : key

const FIELD = /^[\s>*-]*([\p{L}][\p{L}\p{N} _.#/()-]{0,40}):\s+(\S.*)$/u

/** Lines of `name: value` are fields; paragraphs are records. The text's own structure is all there is. */
function eachOfLines(text: string, path: string, each: (record: RecordOf) => void): void {
  let leaves: Leaf[] = []
  let prose: string[] = []
  const flushProse = () => {
    if (prose.length > 0) leaves.push({ text: prose.join('\n'), path, key: '' })
    prose = []
  }
  const flush = () => {
    flushProse()
    if (leaves.length > 0) each({ leaves })
    leaves = []
  }
  for (const line of text.split('\n')) {
    if (line.trim() === '' || /^\s*(?:-{3,}|={3,})\s*$/.test(line)) {
      flush()
      continue
    }
    const field = FIELD.exec(line)
    if (field?.[1] === undefined || field[2] === undefined) {
      if (isShortLine(line)) {
        flushProse()
        leaves.push({ text: line.trim(), path, key: '' })
      } else prose.push(line)
      continue
    }
    flushProse()
    // A new item of a list begins a new record.
    if (/^\s*-\s/.test(line)) flush()
    leaves.push({ text: field[2], path, key: field[1] })
  }
  flush()
}

const isShortLine = (line: string): boolean => line.length <= 60 && !/[.!?]\s*$/.test(line)

/** The leaves of arguments, which are always JSON. */
export function argumentLeaves(json: Json): Leaf[] {
  const found: Leaf[] = []
  const visit = (value: Json, path: string, key: string, depth: number): void => {
    if (value === null || depth > MOST_DEPTH) return
    if (typeof value !== 'object') found.push({ text: String(value), path, key })
    else if (Array.isArray(value)) value.forEach((item: Json, index) => visit(item, `${path}/${index}`, key, depth + 1))
    else if (isJsonObject(value))
      for (const [field, inner] of Object.entries(value)) visit(inner, `${path}/${escape(field)}`, field, depth + 1)
  }
  visit(json, '', '', 0)
  return found
}

const PIECE = 16_384

/** A very long text is read in pieces, cut at spaces. */
export function piecesOf(record: RecordOf): readonly RecordOf[] {
  if (record.leaves.every(({ text }) => text.length <= PIECE)) return [record]
  return record.leaves.flatMap((leaf) => {
    const pieces: RecordOf[] = []
    for (let from = 0; from < leaf.text.length;) {
      const space = leaf.text.lastIndexOf(' ', from + PIECE)
      const to = from + PIECE >= leaf.text.length ? leaf.text.length : space > from ? space : from + PIECE
      pieces.push({ leaves: [{ ...leaf, text: leaf.text.slice(from, to) }] })
      from = to
    }
    return pieces
  })
}

/** The leaves of an answer in the order in which a session counts them: those that hold a word. */
export function leavesOf(result: ToolResult): readonly Leaf[] {
  const found: Leaf[] = []
  eachRecord(result, (record) => {
    for (const piece of piecesOf(record))
      for (const leaf of piece.leaves) if (readWords(leaf.text, 1).length > 0) found.push(leaf)
  })
  return found
}
