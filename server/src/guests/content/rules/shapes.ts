import type { RuleInput } from '../rule.ts'

/** The end of a token: the next character cannot be part of it. */
export const END = '(?![\\w-])'
export const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'

type More = Partial<Omit<RuleInput, 'id' | 'keywords' | 'pattern'>>

/** A self-identifying token: it starts with, or contains, something unique. */
export const token = (id: string, keyword: string, pattern: string, more: More = {}): RuleInput => ({
  id,
  type: 'API_TOKEN',
  kind: 'secret',
  at: 'keyword',
  keywords: keyword.split(' '),
  pattern,
  ...more,
})

/** A token without a recognizable format: the name beside it tells whose it is. */
export const named = (id: string, keyword: string, pattern: string, more: More = {}): RuleInput => ({
  id,
  type: 'API_KEY',
  kind: 'secret',
  at: 'value',
  keywords: keyword.split(' '),
  pattern,
  entropy: 2.5,
  ...more,
})
