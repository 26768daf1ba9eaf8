import { isJsonObject, type Json } from '../../contract/json.ts'
import { childrenOf } from '../gate/text-leaves.ts'
import { splitWords } from '../gate/risk/split-words.ts'
import { kindOf } from '../gate/sandbox/field-names.ts'
import { isAddress, isMailAddress } from './hosts.ts'
import { isAboutFiles, pathRole, type PathRole } from './path-role.ts'
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
  PLACE,
  QUERY,
  RECIPIENT,
} from './vocabulary.ts'

export type Role =
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
  | 'content'
  | 'query'
  | 'place'
  | 'name'
  | 'id'
  | 'other'

/** A string or number in the arguments, and what its place says about it. */
export type Leaf = {
  /** A JSON pointer. */
  readonly at: string
  /** The name of the nearest field. */
  readonly field: string
  readonly text: string
  readonly role: Role
}

/** Fields that name people only if their value looks like an address. */
const LOOSE = new Set(
  'email emails mail phone phones mobile telephone tel account accounts member members topic webhook forward chat'.split(
    ' ',
  ),
)
const PHONE = /^\+?\d[\d ()./-]{5,}$/
const IBAN = /^[A-Z]{2}\d{2}[ ]?(?:[A-Z0-9]{4}[ ]?){2,8}[A-Z0-9]{0,4}$/i
const MAIL_SOMEWHERE = /[^\s@<>,;"]@[^\s@<>,;"]/u
const LONGEST_NAME = 320

/** How many characters are read per step: one or two milliseconds. Each value counts as this many characters at least. */
const STEP_WORK = 65_536
const LEAF_WORK = 500

/**
 * Every string and number in the arguments of a tool; the event loop may run between two steps. Not recursive, because a caller controls
 * how deep the arguments are nested.
 */
export function* leafSteps(args: Json, tool_id: string): Generator<void, readonly Leaf[]> {
  const leaves: Leaf[] = []
  const aboutFiles = isAboutFiles(tool_id)
  let work = 0
  const open: { readonly value: Json; readonly path: readonly string[] }[] = [{ value: args, path: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next
    work += typeof value === 'string' ? LEAF_WORK + value.length : LEAF_WORK
    if (work > STEP_WORK) {
      work = 0
      yield
    }
    if (typeof value === 'string' || typeof value === 'number') leaves.push(leafOf(path, String(value), aboutFiles))
    const children = childrenOf(value)
    // Some tools take addresses as the names of fields.
    if (isJsonObject(value))
      for (const [key] of children)
        if (path.length > 0 && (isMailAddress(key) || isAddress(key)))
          leaves.push(leafOf([...path, key], key, aboutFiles))
    for (const [key, child] of children.toReversed()) open.push({ value: child, path: [...path, key] })
  }
  return leaves
}

function leafOf(path: readonly string[], text: string, aboutFiles: boolean): Leaf {
  const fields = path.filter((key) => !/^\d+$/.test(key))
  const field = fields.at(-1) ?? ''
  return { at: pointerOf(path), field, text, role: roleOf(fields, text, aboutFiles) }
}

export const pointerOf = (path: readonly string[]): string =>
  path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

function roleOf(fields: readonly string[], text: string, aboutFiles: boolean): Role {
  const named = fields.map((field) => splitWords(field))
  const last = named.at(-1) ?? []
  const path = pathRole(fields.at(-1) ?? '', text, aboutFiles)
  const recipient = recipientRole(named, last, text, path)
  if (recipient !== undefined) return recipient
  if (named.some((words) => hasAny(words, ATTACHMENT))) return 'attachment'
  if (hasAny(last, CURRENCY)) return 'currency'
  if (hasAny(last, AMOUNT) && isFigure(text)) return 'amount'
  if (isAddress(text)) return 'address'
  const kind = kindOf(fields.at(-1) ?? '')
  if (path !== undefined) return path
  if (kind === 'command' || kind === 'code' || hasAny(last, COMMAND)) return 'command'
  if (isMailAddress(text) || IBAN.test(text.trim())) return 'to'
  if (hasAny(last, HOST) && !hasAny(last, NOT_A_RECIPIENT)) return 'host'
  if (kind === 'content') return hasAny(last, NAME) ? 'name' : 'content'
  if (hasAny(last, QUERY) && !hasAny(last, NOT_A_QUERY)) return 'query'
  if (hasAny(last, PLACE)) return 'place'
  if (hasAny(last, NAME)) return 'name'
  return hasAny(last, ID) ? 'id' : 'other'
}

function recipientRole(
  named: readonly (readonly string[])[],
  last: readonly string[],
  text: string,
  path: PathRole | undefined,
): Role | undefined {
  const at = named.findIndex((words) => hasAny(words, RECIPIENT) && !hasAny(words, NOT_A_RECIPIENT))
  if (at === -1) return undefined
  const words = named[at] ?? []
  const looksLikeOne = MAIL_SOMEWHERE.test(text) || PHONE.test(text.trim()) || IBAN.test(text.trim())
  // `recipients[0].type` says how, not to whom.
  if (at < named.length - 1 && hasAny(last, NOT_A_RECIPIENT) && !looksLikeOne) return undefined
  if (hasAny(words, BLIND_COPY)) return 'bcc'
  if (hasAny(words, COPY)) return 'cc'
  const strong = words.filter((word) => RECIPIENT.has(word) && !LOOSE.has(word) && !ACCOUNT.has(word))
  const isName = text.length <= LONGEST_NAME && !text.includes('\n')
  if (strong.length === 0 && hasAny(words, ACCOUNT)) return isName ? 'account' : undefined
  if (strong.length === 0 && !looksLikeOne && !isName) return undefined
  if (isAddress(text)) return 'address'
  // The destination of a file is a path, not a person.
  return path !== undefined && !looksLikeOne ? path : 'to'
}

const isFigure = (text: string) => /\d/.test(text) && text.length <= 64
