import { isJsonObject, type Json, type JsonObject } from '../../../contract/json.ts'
import { unescapeText, percentDecode } from '../traps/encodings.ts'
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

function redacted(value: Json, own: OwnCredentials): Json {
  if (typeof value === 'string') return redactOwn(value, own)
  if (Array.isArray(value)) {
    const items = value.map((item: Json) => redacted(item, own))
    return items.every((item, at) => item === value[at]) ? value : items
  }
  if (!isJsonObject(value)) return value
  return isClean(value, own)
    ? value
    : Object.fromEntries(Object.entries(value).map(([key, field]) => [redactOwn(key, own), redacted(field, own)]))
}

/** Nearly always: then nothing is copied. */
function isClean(object: JsonObject, own: OwnCredentials): boolean {
  for (const key of Object.keys(object)) {
    const field = object[key] ?? null
    if (redacted(field, own) !== field || redactOwn(key, own) !== key) return false
  }
  return true
}
