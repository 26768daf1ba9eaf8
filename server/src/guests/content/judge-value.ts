import { isPlaceholder } from './placeholder.ts'
import { isPronounceable, isUuid, looksRandom } from './randomness.ts'
import { wordsOf, type NameSays } from './secret-name.ts'

/** Words of messages and labels, which appear in quotes beside a name like `password` without being one. */
const PROSE =
  /\b(?:password|passphrase|secret|token|key|your|you|enter|the|this|must|should|please|invalid|incorrect|wrong|forgot|reset|confirm|is|are|was|not|be|new|old|current)\b/i
/** Code instead of a value: a call, an index, a member. */
const CALL = /^[!~&*]{0,2}[\w.$:>?-]+[([]|\(\)?;?$/
const MEMBER = /^[!~&*]{0,2}[A-Za-z_$][\w$]*(?:(?:\??\.|::|->)[A-Za-z_$][\w$]*)+$/

/** Whether a value is quoted, or is the value of a field in JSON. */
export type Quoted = boolean | 'field'

/** Whether the value beside such a name is itself a secret, and not a reference, a placeholder or a message about it. */
export function isSecretValue(says: NameSays, value: string, quoted: Quoted): boolean {
  if (says === 'nothing') return false
  // Judging the value is cheaper than searching for placeholder words.
  return isOfKind(says, value, quoted) && !isPlaceholder(value)
}

function isOfKind(says: NameSays, value: string, quoted: Quoted): boolean {
  if (says === 'password') return quoted === false ? isBarePassword(value) : isQuotedPassword(value, quoted === 'field')
  if (says === 'pass') return isBarePassword(value) || (quoted !== false && isRandomLetters(value, 6))
  if (isUuid(value)) return says === 'credential'
  if (says === 'credential' && quoted !== false && (isNoName(value) || isMixedLetters(value, 14))) return true
  return looksRandom(value, says === 'credential' ? 10 : 20) && !isWholeName(value)
}

/** Unlike any identifier, path or message: one long run of letters, or many kinds of punctuation. */
function isNoName(value: string): boolean {
  if (/\s/.test(value)) return false
  return (
    (/^[a-z]{18,}$/.test(value) && !isPronounceable(value)) || new Set(value.match(/[!@#$%^&*(){}[\]<>~+?]/g)).size >= 5
  )
}

/** A password field in JSON may contain words; in text they are more often the label of a form. */
function isQuotedPassword(value: string, isField: boolean): boolean {
  if (value.length < 4 || value.length > 200 || !/[A-Za-z0-9]/.test(value)) return false
  if (/\s/.test(value)) return isPassphrase(value, isField)
  if (!/\d/.test(value) && (MEMBER.test(value) || (!isField && isLabel(value)))) return false
  return !/^(?:https?|file):\/\//.test(value) && !isWholeName(value) && !CODE.some((shape) => shape.test(value))
}

/**
 * Several words are a form label, in any language, unless they contain a digit or a character that no label has, or are all lower
 * case.
 */
function isPassphrase(value: string, isField: boolean): boolean {
  const words = value.trim().split(/\s+/)
  if (words.length > 6 || PROSE.test(value) || !/[A-Za-z]{3}/.test(value)) return false
  if (isField) return true
  return /[\d@#$%^&*;=~|\\]/.test(value) || words.every((word) => /^[a-z]{3,}$/.test(word))
}

/** Without a digit: a capitalized word (`Required`), one with non-ASCII letters, or the name of such a field (`newPassword`). */
function isLabel(value: string): boolean {
  if (/^[A-Z][a-z]+$|^[A-Z]{2,6}$|^[a-z]{2,8}[_-]$/.test(value) || /\p{L}/u.test(value.replace(/[\0-\x7f]/g, '')))
    return true
  const words = wordsOf(value)
  return words.length > 1 && /^[\w.-]+$/.test(value) && words.some((word) => NAMES_SECRET.has(word))
}
const NAMES_SECRET = new Set('password passwd pwd pass secret token key credential credentials auth'.split(' '))

/** Paths, files, regular expressions, column types, and parameter placeholders in a statement. */
const CODE = [
  /^(?:~|\.{0,2})\/[\w.-]+\/[\w./-]+$/,
  /^[\w./-]+\.(?:json|ya?ml|txt|pem|key|crt|env|properties|conf|xml|html?|jsx?|tsx?|py|rb|php|java)$/i,
  /^\^|\[a-z]?-?[a-z]?\]|\\[dws]|\.[*+]|\$$(?<=\)\$)/,
  /^(?:var)?char\b|^(?:text|string|int)\W/i,
  /^[:@?]\w+$/,
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\/[\w./-]+$/,
]

/** Without quotes a value may be code, so it has to look less like a word. */
function isBarePassword(value: string): boolean {
  if (value.length < 6 || value.length > 200 || CALL.test(value) || MEMBER.test(value)) return false
  if (/^\/[\^([]/.test(value)) return false // a regular expression
  if (!/[A-Za-z]/.test(value)) return /^\d{6,}$/.test(value)
  return (
    (/\d/.test(value) ||
      /[!@#$%^&*~+?{}]/.test(value) ||
      isNoName(value) ||
      isRandomLetters(value, 8) ||
      isMixedLetters(value, 10)) &&
    !isWholeName(value)
  )
}

/** A run of letters that no word contains: `wkzqhtrm`. */
const isRandomLetters = (value: string, least: number): boolean =>
  value.length >= least && /^(?:[a-z]+|[A-Z]+)$/.test(value) && !isPronounceable(value)

/** Capitals inside words: `UjPytHOhaQaO`, but not `getUserName`. */
function isMixedLetters(value: string, least: number): boolean {
  if (value.length < least || !/^[A-Za-z]+$/.test(value) || !/[a-z][A-Z]/.test(value)) return false
  const parts = value.match(/[A-Z]?[a-z]*/g)?.filter((part) => part !== '') ?? []
  return parts.filter((part) => part.length <= 2).length * 2 >= parts.length
}

/** `DB_PASSWORD`, `MY_TOKEN_2`: the name of a variable that holds the secret. */
function isWholeName(value: string): boolean {
  return /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) && !/\d{3}/.test(value)
}
