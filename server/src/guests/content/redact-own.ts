import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { unescapeText, percentDecode } from '../../kernel/text/encodings.ts'
import { findOwn, type OwnCredentials, type Span } from './find-own.ts'

export const OWN_CREDENTIAL_MARK = '[REDACTED_SLUICE_CREDENTIAL]'
/** A longer text is not decoded as a whole; credentials written in plain form are still found. */
const LONGEST_DECODED = 262_144

/** Whether a text contains one of the gate's own credentials, including percent-encoded or escaped ones. */
export function holdsOwn(text: string, own: OwnCredentials): boolean {
  return findOwn(text, own).length > 0 || decodedForms(text).some((form) => findOwn(form, own).length > 0)
}

/**
 * The text without any of the gate's own credentials. If one appears only after decoding, the whole text is removed.
 * INVARIANT: the result contains none (law in own-credentials.test.ts).
 */
export function redactOwn(text: string, own: OwnCredentials): string {
  const left = cut(text, findOwn(text, own))
  return decodedForms(left).some((form) => findOwn(form, own).length > 0) ? OWN_CREDENTIAL_MARK : left
}

function cut(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text
  let [left, at] = ['', 0]
  for (const { start, end } of spans) {
    if (end <= at) continue
    left += `${text.slice(at, Math.max(at, start))}${OWN_CREDENTIAL_MARK}`
    at = end
  }
  return left + text.slice(at)
}

const NO_FORMS: readonly string[] = []

function decodedForms(text: string): readonly string[] {
  if (text.length > LONGEST_DECODED || !/%|\\[ux]/.test(text)) return NO_FORMS
  const forms: string[] = []
  if (text.includes('%')) {
    const once = percentDecode(text)
    forms.push(once, percentDecode(once))
  }
  if (/\\[ux]/.test(text)) forms.push(unescapeText(text))
  return forms.filter((form) => form !== text)
}

/** The same for every string in a JSON value, including field names. Returns the value itself if there was nothing to remove. */
export function redactOwnJson<T extends Json>(value: T, own: OwnCredentials): T {
  return redacted(value, own) as T
}

/** INVARIANT: every text is searched once, however deep it is: nothing is searched first and copied later. */
function redacted(value: Json, own: OwnCredentials): Json {
  if (typeof value === 'string') return redactOwn(value, own)
  if (Array.isArray(value)) return redactedList(value, own)
  return isJsonObject(value) ? redactedObject(value, own) : value
}

function redactedList(list: readonly Json[], own: OwnCredentials): Json {
  let copy: Json[] | undefined
  for (let at = 0; at < list.length; at += 1) {
    const item = list[at] ?? null
    const clean = redacted(item, own)
    if (clean !== item) copy ??= list.slice(0, at)
    copy?.push(clean)
  }
  return copy ?? list
}

function redactedObject(object: JsonObject, own: OwnCredentials): JsonObject {
  let copy: [string, Json][] | undefined
  let count = 0
  for (const key in object) {
    const field = object[key] ?? null
    const name = redactOwn(key, own)
    const clean = redacted(field, own)
    if (clean !== field || name !== key) copy ??= Object.entries(object).slice(0, count)
    copy?.push([name, clean])
    count += 1
  }
  return copy === undefined ? object : Object.fromEntries(copy)
}
