import type { Caller, CallerKind } from '../contract/caller.ts'
import type { Match } from '../contract/policy.ts'
import type { RiskClass, ToolEffect } from '../contract/tool.ts'
import { type Glob, matchesGlob, parseGlob } from './glob.ts'
import type { PolicyFacts } from './policy.ts'

export const GLOB_FIELDS = ['tool', 'server', 'tag', 'caller', 'user', 'lane'] as const
export const WORD_FIELDS = ['effects', 'risk', 'role'] as const
export type GlobField = (typeof GLOB_FIELDS)[number]
export type WordField = (typeof WORD_FIELDS)[number]
export type MatchField = GlobField | WordField

/** A call's names, per field. A call has one tool and any number of tags. Undefined: unknown. */
export type MatchNames = {
  readonly tool: readonly string[]
  readonly server: readonly string[]
  readonly tag: readonly string[] | undefined
  readonly caller: readonly string[]
  readonly user: readonly string[]
  readonly lane: readonly string[] | undefined
  readonly effects: readonly ToolEffect[]
  readonly risk: readonly RiskClass[]
  readonly role: readonly CallerKind[]
}

export type CompiledMatch = {
  readonly globs: readonly { readonly field: GlobField; readonly any: readonly Glob[] }[]
  readonly words: readonly { readonly field: WordField; readonly any: readonly string[] }[]
}

export function namesOf(
  { caller }: { readonly caller: Pick<Caller, 'id' | 'user' | 'kind'> },
  facts: Pick<PolicyFacts, 'tool'> & {
    readonly tags?: PolicyFacts['tags'] | undefined
    readonly lane?: PolicyFacts['lane'] | undefined
  },
): MatchNames {
  return {
    tool: [facts.tool.row.tool_id],
    server: [facts.tool.row.server],
    tag: facts.tags,
    caller: [caller.id],
    user: [caller.user],
    lane: facts.lane === undefined ? undefined : facts.lane === null ? [] : [facts.lane],
    effects: facts.tool.effects,
    risk: [facts.tool.risk],
    role: [caller.kind],
  }
}

export function compileMatch(match: Match): CompiledMatch {
  return {
    globs: GLOB_FIELDS.flatMap((field) => {
      const patterns = match[field]
      return patterns === undefined ? [] : [{ field, any: patterns.map(parseGlob) }]
    }),
    words: WORD_FIELDS.flatMap((field) => {
      const any = match[field]
      return any === undefined ? [] : [{ field, any }]
    }),
  }
}

/**
 * Every given field must match; a field matches if one of its patterns fits one of the call's names. If the result depends on an
 * unknown name, returns that field.
 */
export function isMatch(match: CompiledMatch, names: MatchNames): boolean | GlobField {
  let unknown: GlobField | undefined
  for (const { field, any } of match.words) {
    if (!hasWord(any, names[field])) return false
  }
  for (const { field, any } of match.globs) {
    const having = names[field]
    if (having === undefined) unknown = field
    else if (!hasName(any, having)) return false
  }
  return unknown ?? true
}

function hasWord(any: readonly string[], having: readonly string[]): boolean {
  for (const word of having) if (any.includes(word)) return true
  return false
}

function hasName(any: readonly Glob[], having: readonly string[]): boolean {
  for (const name of having) {
    for (const glob of any) if (matchesGlob(glob, name)) return true
  }
  return false
}
