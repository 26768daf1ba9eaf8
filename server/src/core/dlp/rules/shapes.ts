import type { RuleInput } from '../rule.ts'

/** The end of a token: what follows could not have been part of it. */
export const END = '(?![\\w-])'
export const UUID = '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}'

type More = Partial<Omit<RuleInput, 'id' | 'keywords' | 'pattern'>>

/** A token that says by itself what it is: it begins with, or holds, something that nothing else has. */
export const token = (id: string, keyword: string, pattern: string, more: More = {}): RuleInput => ({
  id,
  type: 'API_TOKEN',
  kind: 'secret',
  at: 'keyword',
  keywords: keyword.split(' '),
  pattern,
  ...more,
})

/** A token of no particular look: it takes the name beside it to know whose it is. */
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
