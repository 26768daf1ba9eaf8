import type { FuncKeywordDefinition } from 'ajv'
import type { Json } from '../contract/json.ts'
import { canonicalJson } from './canonical.ts'

/**
 * Compares JSON values by their canonical text. Ajv's own keywords walk both values, which takes quadratic time for `uniqueItems`
 * and throws on objects with a key named `valueOf` or `toString`.
 */
function textOf(value: Json): string | undefined {
  const text = canonicalJson(value)
  return text.ok ? text.value : undefined
}

const isScalar = (value: Json): boolean => value === null || typeof value !== 'object'

/** Tests whether a value equals one of `allowed`. Scalars need no text: a Set compares them as JSON does. */
function isOneOf(allowed: readonly Json[]): (value: Json) => boolean {
  const scalars = new Set(allowed.filter(isScalar))
  const texts = new Set(allowed.filter((value) => !isScalar(value)).map(textOf))
  return (value) => (isScalar(value) ? scalars.has(value) : texts.size > 0 && texts.has(textOf(value) ?? ''))
}

const areUnique = (items: readonly Json[]): boolean => new Set(items.map(textOf)).size === items.length

export const EQUALITY_KEYWORDS: readonly FuncKeywordDefinition[] = [
  { keyword: 'enum', schemaType: 'array', errors: false, compile: (allowed: readonly Json[]) => isOneOf(allowed) },
  { keyword: 'const', errors: false, compile: (only: Json) => isOneOf([only]) },
  {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    compile: (wanted: boolean) => (wanted ? areUnique : () => true),
  },
]
