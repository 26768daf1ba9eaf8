import type { Json } from '../../kernel/contract/json.ts'

/**
 * Parses a value that a program printed: JSON, or Python and JavaScript literals with single quotes, `None` and tuples. Undefined
 * if the whole text is not one, or is too long to parse at once. Linear; at most `MOST_DEPTH` deep.
 */
export function parseLiteral(text: string): Json | undefined {
  if (text.length > MOST_JSON) return undefined
  const trimmed = text.trim()
  const first = trimmed.charCodeAt(0)
  if (first !== 0x7b && first !== 0x5b && first !== 0x22 && first !== 0x27 && first !== 0x28) return undefined
  if (first !== 0x27 && first !== 0x28) {
    try {
      return JSON.parse(trimmed) as Json
    } catch {
      // Not JSON: parsed as a literal of another language.
    }
  }
  if (trimmed.length > MOST_LITERAL) return undefined
  const reader = { text: trimmed, at: 0 }
  const value = readValue(reader, 0)
  return value !== undefined && skipSpace(reader) >= trimmed.length ? value : undefined
}

/** About ten milliseconds each. A longer text is read as lines, so that its values count as prose. */
const MOST_JSON = 1_048_576
const MOST_LITERAL = 131_072

type Reader = { readonly text: string; at: number }
const MOST_DEPTH = 40

function skipSpace(reader: Reader): number {
  while (reader.at < reader.text.length && reader.text.charCodeAt(reader.at) <= 0x20) reader.at += 1
  return reader.at
}

function readValue(reader: Reader, depth: number): Json | undefined {
  if (depth > MOST_DEPTH) return undefined
  skipSpace(reader)
  const char = reader.text[reader.at]
  if (char === '{') return readObject(reader, depth)
  if (char === '[') return readList(reader, ']', depth)
  if (char === '(') return readList(reader, ')', depth)
  if (char === '"' || char === "'") return readString(reader, char)
  return readWord(reader, depth)
}

function readObject(reader: Reader, depth: number): Json | undefined {
  const found: [string, Json][] = []
  reader.at += 1
  for (;;) {
    skipSpace(reader)
    if (reader.text[reader.at] === '}') break
    const key = readValue(reader, depth + 1)
    skipSpace(reader)
    if (key === undefined || typeof key === 'object' || reader.text[reader.at] !== ':') return undefined
    reader.at += 1
    const value = readValue(reader, depth + 1)
    if (value === undefined) return undefined
    found.push([String(key), value])
    skipSpace(reader)
    if (reader.text[reader.at] === ',') reader.at += 1
    else if (reader.text[reader.at] !== '}') return undefined
  }
  reader.at += 1
  return Object.fromEntries(found)
}

function readList(reader: Reader, end: string, depth: number): Json | undefined {
  const found: Json[] = []
  reader.at += 1
  for (;;) {
    skipSpace(reader)
    if (reader.text[reader.at] === end) break
    const value = readValue(reader, depth + 1)
    if (value === undefined) return undefined
    found.push(value)
    skipSpace(reader)
    if (reader.text[reader.at] === ',') reader.at += 1
    else if (reader.text[reader.at] !== end) return undefined
  }
  reader.at += 1
  return found
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' }

function readString(reader: Reader, quote: string): string | undefined {
  let read = ''
  let from = reader.at + 1
  for (let at = from; at < reader.text.length; at += 1) {
    const char = reader.text[at]
    if (char === quote) {
      reader.at = at + 1
      return read + reader.text.slice(from, at)
    }
    if (char !== '\\') continue
    const next = reader.text[at + 1] ?? ''
    const hex = next === 'x' ? 2 : next === 'u' ? 4 : 0
    const code = hex === 0 ? NaN : Number.parseInt(reader.text.slice(at + 2, at + 2 + hex), 16)
    read += reader.text.slice(from, at) + (Number.isNaN(code) ? (ESCAPES[next] ?? next) : String.fromCharCode(code))
    at += 1 + (Number.isNaN(code) ? 0 : hex)
    from = at + 1
  }
  return undefined
}

const WORDS: Readonly<Record<string, Json>> = {
  None: null,
  null: null,
  True: true,
  true: true,
  False: false,
  false: false,
}

/** A number, a constant, or a constructor such as `datetime(2024, 1, 2)`, which is kept as text. */
function readWord(reader: Reader, depth: number): Json | undefined {
  const start = reader.at
  while (reader.at < reader.text.length && /[\w.+<>-]/.test(reader.text[reader.at] ?? '')) reader.at += 1
  const word = reader.text.slice(start, reader.at)
  if (word === '') return undefined
  if (reader.text[reader.at] === '(') {
    const list = readList(reader, ')', depth)
    return list === undefined ? undefined : reader.text.slice(start, reader.at)
  }
  if (Object.hasOwn(WORDS, word)) return WORDS[word]
  const number = Number(word)
  return Number.isNaN(number) ? word : number
}
