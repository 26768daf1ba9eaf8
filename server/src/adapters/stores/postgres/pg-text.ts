import { hash } from 'node:crypto'
import { isKeyed, type ListedValue } from '../listed.ts'

/**
 * A text as Postgres can store it: without NUL and lone surrogates.
 * INVARIANT: injective, so that different keys stay different.
 */
export function pgText(text: string): string {
  if (!NOT_STORABLE.test(text)) return text
  return text.replaceAll(NOT_STORABLE_EACH, (unit) =>
    unit === '\\' ? '\\\\' : `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
const NOT_STORABLE = /[\\\0]|\p{Surrogate}/u
const NOT_STORABLE_EACH = /[\\\0]|\p{Surrogate}/gu

/** The original text. */
export const fromPgText = (text: string): string =>
  text.includes('\\')
    ? text.replaceAll(/\\(?:\\|u([0-9a-f]{4}))/g, (_, code?: string) =>
        code === undefined ? '\\' : String.fromCharCode(Number.parseInt(code, 16)),
      )
    : text

const KEY_DIGITS = 32

/** A listed field as stored in its column. For long texts, 128 bits of a digest. */
export function pgColumn(field: string, value: ListedValue): ListedValue {
  if (typeof value !== 'string') return value
  return isKeyed(field) ? hash('sha256', pgText(value)).slice(0, KEY_DIGITS) : pgText(value)
}
