/** A parsed regular expression. Captures are dropped: a pattern only matches or not. */
export type RegexpPattern =
  /** One character that the source, itself a tiny expression, matches. */
  | { readonly is: 'one'; readonly source: string }
  | { readonly is: 'all'; readonly of: readonly RegexpPattern[] }
  | { readonly is: 'any'; readonly of: readonly RegexpPattern[] }
  | { readonly is: 'repeat'; readonly of: RegexpPattern; readonly min: number; readonly max: number }
  | { readonly is: 'edge'; readonly at: 'start' | 'end' | 'word' | 'no_word' }
  | { readonly is: 'look'; readonly of: RegexpPattern; readonly where: 'ahead' | 'behind'; readonly wanted: boolean }

/** With `u` the text is read by characters, without it by UTF-16 units, as the native engine does. */
export type Flags = 'u' | ''
type Reader = { readonly source: string; readonly flags: Flags; at: number }

const GROUP = /\((?:\?(?::|<[^=!][^>]*>))?/y
const LOOK = /\(\?(<?)([=!])/y
const CLASS = /\[(?:\\[^]|[^\]\\])*\]/y
const QUANTIFIER = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y
const BACK_REFERENCE = /\\(?:[1-9]|k<)/y
/** Longest first. With `u` a pair of escaped halves is one character. */
const ESCAPE: Readonly<Record<Flags, RegExp>> = {
  u: /\\(?:[pP]\{[^}]*\}|u\{[0-9a-fA-F]+\}|u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[^])/uy,
  '': /\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[^])/y,
}
/** Without `u` these mean something other than their author intended. */
const MISLEADING = /\\(?:[pPk]|u\{|0\d|c(?![a-zA-Z]))/

const EDGES = new Map<string, RegexpPattern>([
  ['^', { is: 'edge', at: 'start' }],
  ['$', { is: 'edge', at: 'end' }],
  ['\\b', { is: 'edge', at: 'word' }],
  ['\\B', { is: 'edge', at: 'no_word' }],
])

/** Takes what the expression matches at exactly this position. */
function take(reader: Reader, expression: RegExp): RegExpExecArray | undefined {
  expression.lastIndex = reader.at
  const found = expression.exec(reader.source) ?? undefined
  if (found !== undefined) reader.at += found[0].length
  return found
}

function takeCharacter(reader: Reader): string {
  const { source, flags, at } = reader
  const character = flags === 'u' ? String.fromCodePoint(source.codePointAt(at) ?? 0) : source.charAt(at)
  reader.at += character.length
  return character
}

function readGroup(reader: Reader): RegexpPattern | undefined {
  if (reader.source[reader.at] !== '(') return undefined
  const look = take(reader, LOOK)
  if (look === undefined) take(reader, GROUP)
  // What remains here are modifiers such as `(?i:`.
  if (reader.source[reader.at] === '?') throw new SyntaxError('this kind of group is not supported')
  const of = readChoice(reader)
  reader.at += 1
  if (look === undefined) return of
  return { is: 'look', of, where: look[1] === '<' ? 'behind' : 'ahead', wanted: look[2] === '=' }
}

function readTerm(reader: Reader): RegexpPattern {
  const group = readGroup(reader)
  if (group !== undefined) return group
  if (take(reader, BACK_REFERENCE) !== undefined) throw new SyntaxError('back references are not supported')
  const source = (take(reader, CLASS) ?? take(reader, ESCAPE[reader.flags]))?.[0] ?? takeCharacter(reader)
  return EDGES.get(source) ?? { is: 'one', source }
}

function bounds(found: RegExpExecArray): { min: number; max: number } {
  const [, sign, least, comma, most] = found
  if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
  const min = Number(least)
  if (comma === undefined) return { min, max: min }
  return { min, max: most === undefined || most === '' ? Infinity : Number(most) }
}

function readSequence(reader: Reader): RegexpPattern {
  const of: RegexpPattern[] = []
  while (reader.at < reader.source.length && !'|)'.includes(reader.source.charAt(reader.at))) {
    const term = readTerm(reader)
    const quantifier = take(reader, QUANTIFIER)
    of.push(quantifier === undefined ? term : { is: 'repeat', of: term, ...bounds(quantifier) })
  }
  return { is: 'all', of }
}

function readChoice(reader: Reader): RegexpPattern {
  const of = [readSequence(reader)]
  while (reader.source[reader.at] === '|') {
    reader.at += 1
    of.push(readSequence(reader))
  }
  return of.length === 1 && of[0] !== undefined ? of[0] : { is: 'any', of }
}

/** The flags with which the native compiler accepts the source. Throws a SyntaxError if there are none. */
export function flagsFor(source: string): Flags {
  try {
    return new RegExp(source, 'u').flags === 'u' ? 'u' : ''
  } catch (error) {
    // Many patterns escape more than `u` allows, such as `\\-`; they mean the same without it.
    if (MISLEADING.test(source)) throw error
    return new RegExp(source).flags === '' ? '' : 'u'
  }
}

/** Parses a valid expression. Throws a SyntaxError, like the native compiler, for features that no automaton supports. */
export function readPattern(source: string, flags: Flags): RegexpPattern {
  return readChoice({ source, flags, at: 0 })
}
