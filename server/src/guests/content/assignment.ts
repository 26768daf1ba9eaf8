/** A name and the span of its value, in code, configuration, a header, a command line or prose. */
export type Assignment = {
  readonly name: string
  readonly quoted: boolean
  readonly start: number
  readonly end: number
}

const LONGEST_NAME = 64
const LONGEST_VALUE = 1000
/** Letters, digits and the characters that join names: `.`, `$`, `_`, `-`. */
const NAME_CHARS = Uint8Array.from({ length: 128 }, (_, code) => (/[\w.$-]/.test(String.fromCharCode(code)) ? 1 : 0))
/** Non-ASCII letters count too: `contraseña`. */
const isNameChar = (code: number): boolean => (code < 128 ? NAME_CHARS[code] === 1 : code === 0xf1 || code === 0xd1)
// A type between name and value: `token: string = …`, `var token string = …`.
const OPERATOR =
  /(?::[ \t]?[A-Za-z][\w.<>]{0,24}[ \t]{0,2}=(?![=>])|=>|->|<-|:{1,3}=|[?|.+]{1,2}=|!==?|={1,3}|\|\||:|>|,|\(|[ \t]is[ \t:])/y
const CLOSERS = /(?:\[\w{0,12}\])?(?:\\{0,3}["'`]|[\])]){0,3}[ \t]{0,20}/y
const MORE_WORDS = /[ \t][A-Za-z][\w.-]{0,20}(?=[ \t"':=])/y
/** `name: X_TOKEN` and then `value: …`, as in container and pipeline configuration. */
const VALUE_FIELD =
  /\\?["'`]?[ \t]{0,4}[,;]?\s{0,40}\\?["']?(?:secret_?|default_?)?value\\?["']?[ \t]{0,4}[=:][ \t]{0,4}/iy
const DEFINES = /(?:^|[\s;])(?:#define|ENV|ARG|setx|set|setenv|SetEnv)[ \t]$/
const BLANKS = /[ \t]{0,20}/y
const BLANKS_AND_LINE = /[ \t]{0,20}(?:[|>][+-]?)?(?:\r?\n[ \t]{0,40})?/y
/** A conversion around a literal does not change it. */
const WRAPPER =
  /(?:\[\]byte|bytearray|bytes|(?:base64\.)?(?:b64|std|url)?encode\w{0,16}|Buffer\.from|new String|String\.valueOf|SecureString)\([ \t]?(?=[rbuf]?["'`])/iy
const OPENER = /(?:[rbufL@$]{1,2}(?=["'`]))?(\\{0,3}["'`])/y
const SCHEME =
  /(?:bearer|basic|token|digest|apikey|api[-_]?key|api[-_]?token|bot|negotiate|key|oauth|splunk|genie?key)[ \t]{1,4}(?=\S)/iy
/** No rule for values accepts a longer value without quotes. */
const LONGEST_BARE = 700
const ENDS_BARE = Uint8Array.from({ length: 128 }, (_, code) => (/[\s"'`,;&]/.test(String.fromCharCode(code)) ? 1 : 0))

/** The assignment whose name contains the text from `from` to `to`, or `undefined` if that text names nothing. */
export function assignmentAt(text: string, from: number, to: number): Assignment | undefined {
  const start = phraseStart(text, nameStart(text, from))
  const end = nameEnd(text, to)
  // The name inside an earlier redaction mark is not a name.
  if (text[start - 1] === '[' && text[end] === ']' && text.startsWith('REDACTED_', start)) return undefined
  const operator = afterOperator(text, start, end)
  if (operator === undefined) return undefined
  const found = valueAt(
    text,
    operator.at,
    text.slice(start, operator.nameEnd),
    operator.sign === '=' && isListed(text, start),
  )
  const isCall = operator.sign === ',' || operator.sign === '('
  return found === undefined || (isCall && !(found.quoted && isArgument(text, start, operator.sign)))
    ? undefined
    : found
}

/** One of several pairs, `a=1;b=2` or `?a=1&b=2`: what follows is a value and not code, as if it were quoted. */
function isListed(text: string, start: number): boolean {
  return /[;?&] ?$/.test(text.slice(Math.max(0, start - 2), start))
}

/** `get_password('system', 'user')`: the arguments say whose password is looked up. */
const LOOKS_UP =
  /^[\w$.-]{0,40}?(?:^|[._])(?:get|find|fetch|read|load|lookup|ask|prompt|delete|remove|has)_?[A-Z_]?\w{0,30}\(/

/** `get("token", "…")` and `setToken("…")` assign a value to a name; a list of names does not. */
function isArgument(text: string, start: number, sign: string | undefined): boolean {
  if (sign === '(') return !LOOKS_UP.test(text.slice(start, start + LONGEST_NAME))
  return /\(\s?\\?["'`]$/.test(text.slice(Math.max(0, start - 4), start))
}

/** The end of the name at `to`: the same for every keyword in it, so that a caller can skip repeats. */
export function nameEnd(text: string, to: number): number {
  let end = to
  while (end < text.length && end - to < LONGEST_NAME && isNameChar(text.charCodeAt(end))) end += 1
  return end
}

function nameStart(text: string, from: number): number {
  let start = from
  while (start > 0 && from - start < LONGEST_NAME && isNameChar(text.charCodeAt(start - 1))) start -= 1
  return start
}

/** "the api key": the separate word before a name, if it says whose key it is. */
function phraseStart(text: string, start: number): number {
  const before = /(?:api|access|secret|private|auth|encryption|license|account|client|ssh) $/i.exec(
    text.slice(Math.max(0, start - 11), start),
  )
  return before === null ? start : start - before[0].length
}

type Operator = { readonly at: number; readonly nameEnd: number; readonly sign?: string | undefined }

function afterOperator(text: string, start: number, end: number): Operator | undefined {
  const field = skip(VALUE_FIELD, text, end)
  if (field > end) return { at: field, nameEnd: end }
  // "the client secret key: …": the operator may follow after up to three more words.
  for (let words = 0, at = end; words < 4; words++) {
    const found = operatorAt(text, at)
    if (found !== undefined) return { ...found, nameEnd: at }
    const further = skip(MORE_WORDS, text, at)
    if (further === at) break
    at = further
  }
  // `--api-key VALUE`, `ENV TOKEN VALUE`: a space is enough after an option or a defining keyword.
  const defines = text[start] === '-' || DEFINES.test(text.slice(Math.max(0, start - 10), start))
  // `storePassword "…"`, as in build scripts: a name at the start of a line, then a literal.
  if (
    /^[ \t]{1,2}["']/.test(text.slice(end, end + 3)) &&
    /(?:^|\n)[ \t]{0,20}$/.test(text.slice(Math.max(0, start - 21), start))
  )
    return { at: skip(BLANKS, text, end), nameEnd: end }
  const isFollowed = defines && /^[ \t]{1,4}["']?[^\s=:-]/.test(text.slice(end, end + 6))
  return isFollowed ? { at: skip(BLANKS, text, end), nameEnd: end } : undefined
}

function operatorAt(text: string, at: number): { at: number; sign: string | undefined } | undefined {
  const closed = skip(CLOSERS, text, at)
  const word = skip(OPERATOR, text, at)
  const end = word > at ? word : skip(OPERATOR, text, closed)
  if (end === at || end === closed) return undefined
  const sign = text[end - 1]
  const mayBreak = sign === ',' || sign === '>' || sign === '(' || sign === ':'
  return { at: skip(mayBreak ? BLANKS_AND_LINE : BLANKS, text, end), sign }
}

function valueAt(text: string, at: number, name: string, listed: boolean): Assignment | undefined {
  const inner = skip(WRAPPER, text, at)
  if (inner > at) return valueAt(text, inner, name, listed)
  OPENER.lastIndex = at
  const opener = OPENER.exec(text)
  if (opener === null) {
    const start = skip(SCHEME, text, at)
    const end = trimmed(text, start, bareEnd(text, start))
    return end > start ? { name, quoted: listed, start, end } : undefined
  }
  const quote = opener[1] ?? ''
  const inside = at + opener[0].length
  const end = closing(text, inside, quote)
  if (end === undefined) return undefined
  const start = skip(SCHEME, text, inside)
  return end > start ? { name, quoted: true, start, end } : undefined
}

function bareEnd(text: string, start: number): number {
  const limit = Math.min(text.length, start + LONGEST_BARE)
  let end = start
  while (end < limit && !endsBare(text.charCodeAt(end))) end += 1
  return end
}

const endsBare = (code: number): boolean => (code < 128 ? ENDS_BARE[code] === 1 : /\s/.test(String.fromCharCode(code)))

/** The end of a quoted value: the same quote again, on the same line. */
function closing(text: string, inside: number, quote: string): number | undefined {
  const limit = Math.min(text.length, inside + LONGEST_VALUE)
  const mark = quote.at(-1)
  for (let at = inside; at < limit; at++) {
    const char = text[at]
    if (char === '\n') return undefined
    if (char === mark && (quote.length > 1 || text[at - 1] !== '\\'))
      return quote.length > 1 ? at - (quote.length - 1) : at
  }
  return undefined
}

/** A value without quotes ends before the surrounding punctuation; a bracket opened inside it is part of it. */
function trimmed(text: string, start: number, end: number): number {
  const value = text.slice(start, end)
  const opened = new Set(
    ['()', '[]', '{}', '<>'].filter((pair) => value.includes(pair.charAt(0))).map((pair) => pair.charAt(1)),
  )
  const tag = value.indexOf('</')
  let last = tag === -1 ? end : start + tag
  while (last > start && /[)\]}>.\\]/.test(text.charAt(last - 1)) && !opened.has(text.charAt(last - 1))) last -= 1
  // An ellipsis is not the end of a sentence: the value was truncated.
  return value.endsWith('...') ? end : last
}

/** Where a sticky pattern that starts at `at` ends; `at` itself if it does not match. */
function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
