import { serverWithin } from '../../kernel/policy/unlisted-tools.ts'
import { CallerKind } from '../../kernel/contract/caller.ts'
import type { Match } from '../../kernel/contract/policy.ts'
import { RiskClass } from '../../kernel/contract/tool.ts'
import { GLOB_FIELDS, type GlobField, WORD_FIELDS, type WordField } from '../../kernel/policy/match.ts'

/** Whether every call that `inner` matches is matched by `outer`. May return false when unsure; true is always correct. */
export function coversMatch(outer: Match, inner: Match): boolean {
  return (
    GLOB_FIELDS.every((field) => outer[field] === undefined || coversNames(outer[field], namesWithin(inner, field))) &&
    WORD_FIELDS.every((field) => outer[field] === undefined || coversWords(field, outer[field], inner[field]))
  )
}

function coversNames(outer: readonly string[], inner: readonly string[] | undefined): boolean {
  return inner?.every((pattern) => outer.some((wide) => coversGlob(wide, pattern))) ?? false
}

/** The patterns that a call's name must match. Undefined if the call may have no such name. */
function namesWithin(match: Match, field: GlobField): readonly string[] | undefined {
  const own = match[field]
  if (own !== undefined) return own
  // A tool id begins with its server, so each implies the other.
  if (field === 'tool') return match.server?.map((server) => `${server}__*`) ?? ['*__*']
  if (field === 'server') return match.tool?.map(serverWithin) ?? ['*']
  return field === 'tag' || field === 'lane' ? undefined : ['*']
}

const ONE_OF: Readonly<Partial<Record<WordField, readonly string[]>>> = {
  risk: RiskClass.options,
  role: CallerKind.options,
}

function coversWords(field: WordField, outer: readonly string[], inner: readonly string[] | undefined): boolean {
  const within = inner ?? ONE_OF[field]
  return within?.every((word) => outer.includes(word)) ?? false
}

/** Whether a glob matches every name that another one matches. Only the wide glob's stars may match the other's symbols. */
export function coversGlob(wide: string, narrow: string): boolean {
  let reach = new Set([0])
  for (const symbol of wide) {
    const next = new Set<number>()
    for (const at of reach) {
      if (symbol === '*') for (let to = at; to <= narrow.length; to += 1) next.add(to)
      else if (at < narrow.length && fits(symbol, narrow[at] ?? '')) next.add(at + 1)
    }
    reach = next
  }
  return reach.has(narrow.length)
}

const fits = (symbol: string, other: string) => (symbol === '?' ? other !== '*' : symbol === other)
