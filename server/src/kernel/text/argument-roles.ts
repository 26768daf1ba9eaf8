import { isJsonObject, type Json } from '../contract/json.ts'
import { childrenOf } from './text-leaves.ts'
import { splitWords } from './split-words.ts'
import { fieldTypeOf } from './field-names.ts'
import { isAddress, isMailAddress } from './hosts.ts'
import {
  ACCOUNT,
  AMOUNT,
  ATTACHMENT,
  BLIND_COPY,
  COMMAND,
  COPY,
  CURRENCY,
  hasAny,
  HOST,
  ID,
  NAME,
  NOT_A_QUERY,
  NOT_A_RECIPIENT,
  NOT_AN_AMOUNT,
  PERSON,
  PLACE,
  QUERY,
  RECIPIENT,
} from './tool-vocabulary.ts'

export type ArgumentRole =
  | 'to'
  | 'cc'
  | 'bcc'
  | 'amount'
  | 'currency'
  | 'account'
  | 'address'
  | 'path'
  | 'folder'
  | 'from'
  | 'target'
  | 'attachment'
  | 'command'
  | 'host'
  | 'detail'
  | 'content'
  | 'query'
  | 'place'
  | 'name'
  | 'id'
  | 'other'

/** A value in the arguments, or the name of a field that names a recipient, and what its place says about it. */
export type ArgumentLeaf = {
  /** A JSON pointer. */
  readonly at: string
  /** The name of the nearest field; of a name, the field above it. */
  readonly field: string
  readonly text: string
  /** Whether it is a string or a name: `"1"` and `1` have the same text. */
  readonly isText: boolean
  readonly role: ArgumentRole
}

/** Fields of this kind may also contain a text or a flag: what is below them is judged by its own name. */
const LOOSE = new Set(
  'email emails mail phone phones mobile telephone tel account accounts member members topic webhook forward chat'.split(
    ' ',
  ),
)
const PHONE = /^\+?\d[\d ()./-]{5,}$/
const IBAN = /^[A-Z]{2}\d{2}[ ]?(?:[A-Z0-9]{4}[ ]?){2,8}[A-Z0-9]{0,4}$/i
const MAIL_SOMEWHERE = /[^\s@<>,;"]@[^\s@<>,;"]/u

/** How many characters are read per step: one or two milliseconds. Each value counts as this many characters at least. */
const STEP_WORK = 65_536
const LEAF_WORK = 500

/**
 * Every string and number in the arguments of a tool, every value of a field that names recipients or amounts, and the names of fields
 * that are recipients themselves. The event loop may run between two steps. Not recursive, because a caller controls how deep the
 * arguments are nested.
 */
export function* leafSteps(args: Json, tool_id: string): Generator<void, readonly ArgumentLeaf[]> {
  const leaves: ArgumentLeaf[] = []
  const aboutFiles = isAboutFiles(tool_id)
  let work = 0
  const open: { readonly value: Json; readonly path: readonly string[]; readonly fields: readonly string[] }[] = [
    { value: args, path: [], fields: [] },
  ]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path, fields } = next
    work += typeof value === 'string' ? LEAF_WORK + value.length : LEAF_WORK
    if (work > STEP_WORK) {
      work = 0
      yield
    }
    const field = fields.at(-1) ?? ''
    const role = isScalar(value) ? roleOf(fields, value, aboutFiles) : undefined
    if (isScalar(value) && role !== undefined)
      leaves.push({ at: pointerOf(path), field, text: String(value), isText: typeof value === 'string', role })
    const isObject = isJsonObject(value)
    const children = childrenOf(value)
    // Some tools take addresses as the names of fields.
    const namesPeople = isObject && isBelowRecipients(fields)
    if (isObject)
      for (const [key] of children)
        if (isMailAddress(key) || isAddress(key) || (namesPeople && !isFamiliar(splitWords(key)))) {
          const named = roleOf([...fields, key], key, aboutFiles) ?? 'to'
          const role = named === 'detail' ? 'to' : named
          leaves.push({ at: pointerOf([...path, key]), field: fields.at(-1) ?? key, text: key, isText: true, role })
        }
    for (const [key, child] of children.toReversed())
      open.push({ value: child, path: [...path, key], fields: isObject ? [...fields, key] : fields })
  }
  return leaves
}

type Scalar = string | number | boolean | null
const isScalar = (value: Json): value is Scalar => typeof value !== 'object' || value === null

export const pointerOf = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** Undefined for `true`, `false` and `null` in fields that name neither recipients nor amounts. */
function roleOf(fields: readonly string[], value: Scalar, aboutFiles: boolean): ArgumentRole | undefined {
  const named = fields.map((field) => splitWords(field))
  const last = named.at(-1) ?? []
  const text = String(value)
  const isFlag = typeof value === 'boolean' || value === null
  const path = isFlag ? undefined : pathRole(fields.at(-1) ?? '', text, aboutFiles)
  const recipient = recipientRole(named, last, value, path)
  if (recipient !== undefined) return recipient
  const amount = amountRole(named, last)
  if (isFlag) return amount === undefined ? undefined : 'detail'
  if (named.some((words) => hasAny(words, ATTACHMENT))) return 'attachment'
  if (hasAny(last, CURRENCY)) return 'currency'
  if (amount === 'amount' && hasFigure(text)) return amount
  if (isAddress(text)) return 'address'
  const kind = fieldTypeOf(fields.at(-1) ?? '')
  if (path !== undefined) return path
  // `value` names an amount only where it is a figure.
  if (amount !== undefined) return last.includes('value') ? 'detail' : amount
  if (kind === 'command' || kind === 'code' || hasAny(last, COMMAND)) return 'command'
  if (isMailAddress(text) || IBAN.test(text.trim())) return 'to'
  if (hasAny(last, HOST) && !hasAny(last, NOT_A_RECIPIENT)) return 'host'
  if (kind === 'content') return hasAny(last, NAME) ? 'name' : 'content'
  if (hasAny(last, QUERY) && !hasAny(last, NOT_A_QUERY)) return 'query'
  if (hasAny(last, PLACE)) return 'place'
  if (hasAny(last, NAME)) return 'name'
  return hasAny(last, ID) ? 'id' : 'other'
}

type Words = readonly string[]

const recipientAt = (named: readonly Words[]): number =>
  named.findIndex((words) => hasAny(words, RECIPIENT) && !hasAny(words, NOT_A_RECIPIENT))

/** Whether the words name a recipient, an account or a copy, and not only something that may also be a text. */
const isStrict = (words: Words): boolean =>
  hasAny(words, ACCOUNT) || words.some((word) => RECIPIENT.has(word) && !LOOSE.has(word))

/**
 * By the names of the fields alone, whatever the value is. What is below a field that names recipients is a recipient, or a detail of one:
 * `recipients[0].type` says how, not to whom.
 */
function recipientRole(
  named: readonly Words[],
  last: Words,
  value: Scalar,
  path: PathRole | undefined,
): ArgumentRole | undefined {
  const at = recipientAt(named)
  if (at === -1) return undefined
  const words = named[at] ?? []
  const text = String(value)
  const isBelow = at < named.length - 1
  const looksLikeOne = MAIL_SOMEWHERE.test(text) || PHONE.test(text.trim()) || IBAN.test(text.trim())
  if (typeof value === 'boolean' || value === null) return isBelow && !isStrict(words) ? undefined : 'detail'
  if (isBelow && hasAny(last, NOT_A_RECIPIENT) && !looksLikeOne) return isStrict(words) ? 'detail' : undefined
  if (isBelow && typeof value === 'number' && !isFamiliar(last)) return 'detail'
  if (hasAny(words, BLIND_COPY)) return 'bcc'
  if (hasAny(words, COPY)) return 'cc'
  const strong = words.filter((word) => RECIPIENT.has(word) && !LOOSE.has(word) && !ACCOUNT.has(word))
  if (strong.length === 0 && hasAny(words, ACCOUNT)) return 'account'
  if (isAddress(text)) return 'address'
  // The destination of a file is a path, not a person.
  return path !== undefined && !looksLikeOne ? path : 'to'
}

/** Whether names of fields are recipients themselves here, unless they say what their value is: `{"payee": {"mallory": true}}`. */
function isBelowRecipients(fields: readonly string[]): boolean {
  const named = fields.map((field) => splitWords(field))
  return isStrict(named[recipientAt(named)] ?? [])
}

/** Names of fields that say what a value is. */
const isFamiliar = (words: Words): boolean =>
  [RECIPIENT, NOT_A_RECIPIENT, NAME, ID, PERSON].some((set) => hasAny(words, set))

/** Also below a field that names an amount: `{"amount": {"units": 5}}`. */
function amountRole(named: readonly Words[], last: Words): 'amount' | 'detail' | undefined {
  if (hasAny(last, AMOUNT) && !hasAny(last, NOT_AN_AMOUNT)) return 'amount'
  return named.some((words) => hasAny(words, AMOUNT)) ? 'detail' : undefined
}

const hasFigure = (text: string) => /\p{N}/u.test(text)

/** The recipients among the arguments of a tool. */
export function* recipientsIn(args: Json, tool_id: string): Generator<void, readonly ArgumentLeaf[]> {
  return (yield* leafSteps(args, tool_id)).filter(({ role }) => PEOPLE.has(role))
}

/** Roles that name recipients. */
export const PEOPLE: ReadonlySet<ArgumentRole> = new Set(['to', 'cc', 'bcc', 'account', 'target'])

/** What a field whose name could mean a path is in a sentence. */
type PathRole = 'path' | 'folder' | 'from' | 'target'

const FILE_TOOLS = new Set('file files filesystem fs directory directories dir disk path paths'.split(' '))
const FOLDER = /(?:folder|directory|directories|dir|cwd)s?(?:name|path)?$/
/** `repo_path`, `projectPath`: the path of something that is a folder. */
const FOLDER_THINGS = new Set('repo repository project root base workspace directory folder dir'.split(' '))
const SOURCES = new Set('source sources src'.split(' '))
const TARGETS = new Set('destination destinations dest dst'.split(' '))
const ORDERS = new Set('sort order scroll'.split(' '))
/** `a/b`, `~x`, `.env`, `C:\x`, `report.pdf`; not `Berlin`. */
const LOOKS_LIKE_PATH = /[\\/]|^[~.]|^[a-z]:|\.[a-z][a-z0-9]{0,7}$/i
const LONGEST_PATH = 4_096

/** Whether the tools of this name work on files, so that `source` and `destination` are files. */
const isAboutFiles = (tool_id: string): boolean => hasAny(splitWords(tool_id), FILE_TOOLS)

/**
 * A field name alone does not make a value a file: a folder may belong to a mailbox, and a destination may be a city. Undefined: it is no
 * place at all.
 */
function pathRole(field: string, text: string, aboutFiles: boolean): PathRole | undefined {
  if (fieldTypeOf(field) !== 'file') return undefined
  const words = splitWords(field)
  const last = words.at(-1) ?? ''
  if (hasAny(words, ORDERS)) return undefined
  const before = words.at(-2) ?? ''
  const isNamed = (last === 'name' && FOLDER.test(before)) || (last === 'path' && FOLDER_THINGS.has(before))
  if (FOLDER.test(last) || isNamed) return 'folder'
  const isSource = SOURCES.has(last)
  if (!isSource && !TARGETS.has(last)) return 'path'
  if (aboutFiles || LOOKS_LIKE_PATH.test(text.slice(0, LONGEST_PATH))) return 'path'
  return isSource ? 'from' : 'target'
}
