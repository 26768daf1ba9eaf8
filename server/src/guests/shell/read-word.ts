import type { CommandArgument, Word, WordPart } from 'unbash'

/** A word of a command as the shell passes it on, as far as that is known without running it. */
export type ReadWord = {
  /** Without quotes; expansions are kept as written. */
  readonly text: string
  /** Without the expansions: the part that is certain. */
  readonly sure: string
  /** It depends on no variables and no other commands. */
  readonly literal: boolean
  /** It contains unquoted patterns: it may expand to other words. */
  readonly pattern: boolean
}

export function readWord(word: Word): ReadWord {
  const parts = word.parts ?? []
  const literal = !parts.some(isExpansion)
  const pattern = parts.some(isPattern) || /(?:^|[^\\])[*?[]/.test(word.parts === undefined ? word.text : '')
  const sure = literal ? word.value : parts.map(sureText).join('')
  return { text: word.value, sure, literal, pattern }
}

/** An assignment among the arguments (`export A=b`, `dd of=x`) is one word. */
export function readArgument(argument: CommandArgument): ReadWord {
  if (argument.type === 'Word') return readWord(argument)
  const { name, value } = argument
  if (value.type === 'ArrayValue') return { text: argument.text, sure: `${name}=`, literal: false, pattern: false }
  const read = readWord(value)
  return { ...read, text: `${name}=${read.text}`, sure: `${name}=${read.sure}` }
}

export const literalWord = (text: string): ReadWord => ({ text, sure: text, literal: true, pattern: false })

/** A text as one word of a shell command. */
export const quotedWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A word about which nothing is known. */
export const UNKNOWN_WORD: ReadWord = { text: '$unknown', sure: '', literal: false, pattern: false }

const EXPANSIONS = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ProcessSubstitution',
])

function isExpansion(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.some(isExpansion)
  if (part.type === 'BraceExpansion' || part.type === 'ExtendedGlob')
    return part.parts?.some(isExpansion) ?? /[$`]/.test(part.text)
  return EXPANSIONS.has(part.type)
}

const isPattern = (part: WordPart): boolean =>
  part.type === 'Glob' || part.type === 'ExtendedGlob' || part.type === 'BraceExpansion'

function sureText(part: WordPart): string {
  if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') return part.parts.map(sureText).join('')
  if (EXPANSIONS.has(part.type)) return ''
  return 'value' in part ? part.value : part.text
}
