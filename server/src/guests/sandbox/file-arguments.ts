import { INPUTS_KEY } from '../../kernel/approvals/asks.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { childrenOf, textLeaves, type TextLeaf } from '../../kernel/text/text-leaves.ts'
import { argumentTexts, isText, LONGEST_LIST, type ArgumentTexts } from './argument-texts.ts'
import type { FieldType } from '../../kernel/text/field-names.ts'
import type { Certainty } from './files-fact.ts'
import {
  climbs,
  isBase64,
  isOtherAddress,
  isProse,
  looksLikePath,
  mayHoldPath,
  piecesOf,
} from '../../kernel/text/path-shapes.ts'

/** An argument that names a file, or could. */
export type FileArgument = {
  readonly path: readonly string[]
  readonly text: string
  readonly certainty: Certainty
  readonly bound: boolean
}

export type FileArguments = {
  readonly found: readonly FileArgument[]
  /** There are more than the gate checks, so the result is incomplete. */
  readonly too_many: boolean
}

/** How many characters per call are split into words. */
const MOST_READ = 2 * LONGEST_LIST

/**
 * The arguments that are or could be paths: those the operator declared, those whose name or shape suggests it, the parts of
 * lists and command lines, and every other short text. If the operator declared the paths, the sandbox applies only to these, and
 * to answers to a tool's questions, which cannot be declared. Paths declared by a pack only add to what is found.
 * INVARIANT: a text is left out only if it is in a field for text and is not a path as a whole, or with `too_many` (laws in
 * file-arguments.test.ts).
 */
export function fileArguments(
  args: Json,
  declared: readonly string[] | undefined,
  all: ArgumentTexts = argumentTexts(args),
  packed: readonly string[] = [],
): FileArguments {
  const found: FileArgument[] = []
  let { too_many } = all
  const take = ({ texts, too_many: isCut }: Read, path: readonly string[], bound: boolean) => {
    too_many ||= isCut
    for (const [text, certainty] of texts) found.push({ path, text, certainty, bound })
  }
  for (const { path, text } of (declared ?? packed).flatMap((pointer) => argumentsAt(args, pointer)))
    take(readNamed(text), path, true)
  let left = MOST_READ
  for (const { text, path, kind } of all.texts) {
    if (!isText(kind) && text.length <= LONGEST_LIST) left -= text.length
    if (left < 0) return { found, too_many: true }
    const bound = declared === undefined || path[0] === INPUTS_KEY
    take(kind === 'name' ? readName(text) : readText(text, kind), path, bound)
  }
  return { found, too_many }
}

type Read = { readonly texts: ReadonlyMap<string, Certainty>; readonly too_many: boolean }
const NOTHING: Read = { texts: new Map(), too_many: false }

/** Only letters, digits and the like: one name, not a list. */
const ONE_WORD = /^[\w-]+$/

function readText(text: string, kind: FieldType): Read {
  if (text === '') return NOTHING
  const isNamed = kind === 'file' && !isOtherAddress(text)
  if (text.length < 1024 && ONE_WORD.test(text))
    return { texts: new Map([[text, isNamed ? 'path' : 'maybe']]), too_many: false }
  // A picture's base64 often begins with a slash. It counts only if such a file exists.
  if (!isNamed && isBase64(text)) return { texts: new Map([[text.slice(0, LONGEST_LIST), 'maybe']]), too_many: false }
  if (isText(kind)) return readContent(text)
  if (text.length > LONGEST_LIST) return { ...NOTHING, too_many: true }
  return isNamed ? readNamed(text) : readOther(text, kind === 'command')
}

/** In `{"changes": {"/etc/passwd": "…"}}` the name of a field is the name of a file. */
function readName(text: string): Read {
  if (looksLikePath(text)) return { texts: new Map([[text, 'path']]), too_many: false }
  return /[./\\]/.test(text) ? { texts: new Map([[text, 'maybe']]), too_many: false } : NOTHING
}

const NO_PIECES = { shaped: [], plain: [] }

/** Text to read or store: a path only if it contains nothing else, alone or as a list of paths. */
function readContent(text: string): Read {
  const isWhole = text.length <= LONGEST_LIST && !/\s/.test(text.trim()) && looksLikePath(text)
  const whole = isWhole ? [text] : []
  const name = text.trim()
  // A relative path and nothing else: it counts if it exists on disk.
  if (name.length < 1024 && /^[^\s]*[\\/][^\s]*$/.test(name) && !isWhole && !isOtherAddress(name))
    return { texts: new Map([[name, 'maybe']]), too_many: false }
  // The first words of most texts show that they are not a list.
  const head = text.slice(0, 200)
  const isList = text.length <= LONGEST_LIST && mayHoldPath(head) && piecesOf(head).shaped.length > 0
  const { shaped, plain } = isList ? piecesOf(text) : NO_PIECES
  const list = plain.length > 0 ? [] : shaped
  if (whole.length + list.length === 0) return NOTHING
  return { texts: new Map([...whole, ...list].map((piece) => [piece, 'path'])), too_many: false }
}
function readNamed(text: string): Read {
  const { shaped, plain, too_many } = piecesOf(text)
  const maybe = plain.map((piece) => [piece, 'maybe'] as const)
  const sure = [text, ...shaped].map((piece) => [piece, 'path'] as const)
  return { texts: new Map([...maybe, ...sure]), too_many }
}

function readOther(text: string, isCommand: boolean): Read {
  const { shaped, plain, too_many } = piecesOf(text)
  const isSentence = isProse(text)
  const isOneWord = !/\s/.test(text.trim())
  const isList = isCommand || isOneWord || plain.length === 0
  const texts = new Map<string, Certainty>()
  const loosely = isSentence && !isCommand ? 'mention' : 'maybe'
  for (const piece of [...plain, ...unquotedPieces(text)]) texts.set(piece, loosely)
  for (const piece of shaped) texts.set(piece, isList || (!isSentence && climbs(piece)) ? 'path' : loosely)
  if (isOtherAddress(text)) return { texts, too_many }
  texts.set(text, looksLikePath(text) && !isSentence ? 'path' : 'maybe')
  return { texts, too_many }
}

/** A shell joins `.sl''uice` and `.sl\uice` to one name. */
function unquotedPieces(text: string): readonly string[] {
  if (!/["'\\]/.test(text)) return []
  const { shaped, plain } = piecesOf(text.replace(/["'\\]/g, ''))
  return [...shaped, ...plain.filter((piece) => /[./]/.test(piece))]
}

function argumentsAt(args: Json, pointer: string): TextLeaf[] {
  let found: { value: Json; path: readonly string[] }[] = [{ value: args, path: [] }]
  for (const name of pointer.split('/').slice(1).map(unescape)) {
    found = found.flatMap(({ value, path }) =>
      childrenOf(value)
        .filter(([key]) => name === '*' || key === name)
        .map(([key, child]) => ({ value: child, path: [...path, key] })),
    )
  }
  return found.flatMap(({ value, path }) => textLeaves(value, path).filter(({ is }) => is === 'value'))
}

const unescape = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~')
