import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'

/** A path such as `steps.step_0.items[2].title`: a root, then names and indices. */
export type TemplatePath = readonly (string | number)[]

type Part =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'value'; readonly path: TemplatePath; readonly json: boolean; readonly token: string }
  | { readonly is: 'secret'; readonly name: string; readonly token: string }

export type ParsedText =
  { readonly ok: true; readonly parts: readonly Part[] } | { readonly ok: false; readonly says: string }

/** The values a token can use. Undefined: there is no such value. */
export type Lookup = (path: TemplatePath) => Json | undefined

/** A filled template. `secrets` says, by JSON pointer, where a secret replaces a text. */
export type Rendered =
  | { readonly ok: true; readonly value: Json; readonly secrets: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly says: string }

const SECRET = /^secret:([A-Za-z0-9][A-Za-z0-9._-]{0,127})$/
const FILTERED = /^(.*?)(?<!\s)\s*\|\s*json$/s
const SEGMENT = /^(?:\.([A-Za-z_][\w-]*|\d{1,9})|\[(\d{1,9})\])/
const ROOT = /^[A-Za-z_][\w-]*/
/** The maximum length of one rendered text. */
const LONGEST_TEXT = 1_000_000

/** A path without braces; undefined if it is not one. */
export function parsePath(text: string): TemplatePath | undefined {
  const root = ROOT.exec(text)?.[0]
  if (root === undefined) return undefined
  const path: (string | number)[] = [root]
  let rest = text.slice(root.length)
  while (rest !== '') {
    const segment = SEGMENT.exec(rest)
    if (segment === null) return undefined
    const [whole, name, index] = segment
    const step = name ?? index ?? ''
    path.push(/^\d+$/.test(step) ? Number(step) : step)
    rest = rest.slice(whole.length)
  }
  return path
}

/** The one path that an expression names, with or without braces; undefined if it is anything else. */
export function pathOfExpression(text: string): TemplatePath | undefined {
  const inner = /^\s*\{\{([^{}]*)\}\}\s*$/.exec(text)?.[1] ?? text
  return parsePath(inner.trim())
}

/**
 * Splits a text at its tokens. A `{{` always begins a token. Single braces are text, and so is a `}}` that closes braces of the
 * text itself, as in JSON.
 */
export function parseText(text: string): ParsedText {
  const parts: Part[] = []
  let literal = ''
  let depth = 0
  const flush = () => {
    if (literal !== '') parts.push({ is: 'text', text: literal })
    literal = ''
  }
  for (let at = 0; at < text.length;) {
    if (text.startsWith('{{', at)) {
      const end = text.indexOf('}}', at + 2)
      if (end === -1) return { ok: false, says: 'unbalanced braces: `{{` without `}}`' }
      const part = parseToken(text.slice(at + 2, end))
      if (typeof part === 'string') return { ok: false, says: part }
      flush()
      parts.push(part)
      at = end + 2
      continue
    }
    if (text.startsWith('}}', at) && depth < 2) return { ok: false, says: 'unbalanced braces: `}}` without `{{`' }
    const character = text.charAt(at)
    if (character === '{') depth += 1
    if (character === '}' && depth > 0) depth -= 1
    literal += character
    at += 1
  }
  flush()
  return { ok: true, parts }
}

function parseToken(inner: string): Part | string {
  const token = inner.trim()
  if (token === '') return 'an empty token `{{}}`'
  const secret = SECRET.exec(token)?.[1]
  if (secret !== undefined) return { is: 'secret', name: secret, token }
  const filtered = FILTERED.exec(token)
  const isShort = token === 'output.json'
  const path = parsePath(isShort ? 'output' : (filtered?.[1] ?? token).trim())
  if (path === undefined) return `\`{{${shorten(token)}}}\` is not a path`
  return { is: 'value', path, json: isShort || filtered !== null, token }
}

/** The text of every template in a value, with its JSON pointer. */
export function textsIn(value: Json, pointer = ''): readonly { readonly text: string; readonly pointer: string }[] {
  if (typeof value === 'string') return [{ text: value, pointer }]
  if (Array.isArray(value)) return value.flatMap((one: Json, index) => textsIn(one, `${pointer}/${index}`))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, `${pointer}/${escapeKey(key)}`))
}

const escapeKey = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')

/**
 * Fills a template in a single pass. Pure and total.
 * INVARIANT: inserted values are never parsed as templates, and a secret is recognized only as the whole of a text in the
 * template itself (laws in templates.test.ts).
 */
export function renderTemplate(template: Json, lookup: Lookup): Rendered {
  const secrets: Record<string, string> = {}
  const value = renderValue(template, lookup, '', secrets)
  return value.ok ? { ok: true, value: value.value, secrets } : value
}

type Value = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly says: string }

function renderValue(template: Json, lookup: Lookup, pointer: string, secrets: Record<string, string>): Value {
  if (typeof template === 'string') return renderText(template, lookup, pointer, secrets)
  if (Array.isArray(template)) {
    const items: Json[] = []
    for (const [index, one] of (template as readonly Json[]).entries()) {
      const item = renderValue(one, lookup, `${pointer}/${index}`, secrets)
      if (!item.ok) return item
      items.push(item.value)
    }
    return { ok: true, value: items }
  }
  if (!isJsonObject(template)) return { ok: true, value: template }
  const members: [string, Json][] = []
  for (const [key, one] of Object.entries(template)) {
    const member = renderValue(one, lookup, `${pointer}/${escapeKey(key)}`, secrets)
    if (!member.ok) return member
    members.push([key, member.value])
  }
  return { ok: true, value: Object.fromEntries(members) }
}

function renderText(text: string, lookup: Lookup, pointer: string, secrets: Record<string, string>): Value {
  const parsed = parseText(text)
  if (!parsed.ok) return parsed
  const [only, ...others] = parsed.parts
  if (only === undefined) return { ok: true, value: '' }
  if (others.length === 0 && only.is === 'secret') {
    secrets[pointer] = only.name
    return { ok: true, value: text }
  }
  if (others.length === 0 && only.is === 'value') return valueOf(only, lookup)
  let printed = ''
  for (const part of parsed.parts) {
    const piece = part.is === 'text' ? part.text : printedPart(part, lookup)
    if (typeof piece !== 'string') return piece
    printed += piece
    if (printed.length > LONGEST_TEXT) return { ok: false, says: `a text of more than ${LONGEST_TEXT} characters` }
  }
  return { ok: true, value: printed }
}

type Token = Exclude<Part, { is: 'text' }>

function printedPart(part: Token, lookup: Lookup): string | Extract<Value, { ok: false }> {
  if (part.is === 'secret') return { ok: false, says: 'a secret must be the whole text of a field in `argsTemplate`' }
  const found = valueOf(part, lookup)
  if (!found.ok) return found
  return typeof found.value === 'string' ? found.value : printed(found.value)
}

function valueOf({ path, json, token }: Extract<Part, { is: 'value' }>, lookup: Lookup): Value {
  const value = lookup(path)
  if (value === undefined) return { ok: false, says: `\`{{${shorten(token)}}}\` has no value` }
  return { ok: true, value: json ? printed(value) : value }
}

/** Every value of a run is I-JSON, because it was parsed as such. */
function printed(value: Json): string {
  const text = canonicalJson(value)
  if (!text.ok) throw new Bug('a value of a run has a canonical form')
  return text.value
}

/** Follows a path into a value, by own properties only. */
export function valueAtPath(value: Json | undefined, path: TemplatePath): Json | undefined {
  let at: Json | undefined = value
  for (const step of path) {
    if (Array.isArray(at)) at = typeof step === 'number' ? (at as readonly Json[])[step] : undefined
    else if (isJsonObject(at) && Object.hasOwn(at, step)) at = at[step]
    else return undefined
    if (at === undefined) return undefined
  }
  return at
}

const shorten = (text: string) => (text.length > 80 ? `${text.slice(0, 77)}…` : text)

/** The list that an expression names, or why there is none. */
export function listAt(expression: string, lookup: Lookup): readonly Json[] | string {
  const path = pathOfExpression(expression)
  const value = path === undefined ? undefined : lookup(path)
  if (value === undefined) return `\`${expression}\` has no value`
  return Array.isArray(value) ? (value as readonly Json[]) : `\`${expression}\` is not a list`
}
