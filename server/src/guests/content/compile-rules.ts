import type { z } from 'zod'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { measurePattern } from './pattern-cost.ts'
import { KnownNames } from '../../kernel/text/known-names.ts'
import { numberRules, type NumberRules } from './number-rules.ts'
import { ContentRule, type CompiledContentRule, type RuleInput } from './rule.ts'
import { buildWordFinder, type WordFinder } from '../../kernel/text/word-finder.ts'

/** The rules to try where a keyword occurs. */
export type KeywordUse = {
  readonly keyword: string
  readonly here: readonly CompiledContentRule[]
  readonly values: readonly CompiledContentRule[]
  readonly anywhere: readonly CompiledContentRule[]
  /** The length of the shortest value that one of the rules for values matches. */
  readonly least_value: number
}

export type CompiledRules = {
  readonly rules: readonly CompiledContentRule[]
  readonly finder: WordFinder
  /** By the word's index in the finder; undefined for a word that only other rules use. */
  readonly uses: readonly (KeywordUse | undefined)[]
  readonly number: NumberRules
  readonly code: readonly CompiledContentRule[]
  readonly colon: readonly CompiledContentRule[]
  /** Rules without keywords, tried at every position. */
  readonly everywhere: readonly CompiledContentRule[]
  /** Whether every rule needs a keyword. */
  readonly needs_keyword: boolean
  /** What the names of fields say, for names that occurred. */
  readonly names: KnownNames<readonly KeywordUse[]>
}

/** The step limit per attempt: attempts at a keyword are rare, attempts at every position are not. */
const MOST_STEPS = { anchored: 250_000, anywhere: 2_000 }

/**
 * Compiles the built-in rules together with the configured ones. A rule that is malformed, does not compile, or could backtrack
 * too much is rejected, and with it the whole set: rules are never dropped silently.
 */
export function compileRules(builtIn: readonly RuleInput[], extra: readonly unknown[]): Result<CompiledRules> {
  const compiled: CompiledContentRule[] = []
  const seen = new Set<string>()
  for (const input of [...builtIn, ...extra]) {
    const one = compileRule(input, compiled.length)
    if (!one.ok) return one
    if (seen.has(one.value.id)) return invalid(one.value.id, 'another rule has this id')
    seen.add(one.value.id)
    compiled.push(one.value)
  }
  return ok(indexed(compiled))
}

function compileRule(input: unknown, order: number): Result<CompiledContentRule> {
  const read = ContentRule.safeParse(input)
  if (!read.success) return invalid(idOf(input), wrongIn(read.error))
  const rule = read.data
  const anchored = rule.at !== 'anywhere'
  if ((rule.at === 'keyword' || rule.at === 'value') && rule.keywords.length === 0) {
    return invalid(rule.id, `a rule at a ${rule.at} needs keywords`)
  }
  if (rule.keywords.some((word) => /[^\x20-\x7e]/.test(word))) return invalid(rule.id, 'keywords must be ASCII')
  const regex = compilePattern(rule)
  if (regex === undefined) return invalid(rule.id, 'the pattern is not a regular expression')
  const measures = measurePattern(rule.pattern, rule.ignoreCase)
  if (measures === undefined) return invalid(rule.id, 'the pattern uses a construct that rules may not use')
  const { cost, least, matches_empty } = measures
  if (matches_empty) return invalid(rule.id, 'the pattern matches the empty text')
  if (cost > (anchored ? MOST_STEPS.anchored : MOST_STEPS.anywhere)) {
    return invalid(rule.id, 'the pattern may take too many steps: give every repeat a small upper limit')
  }
  if (groupsIn(rule.pattern) < rule.group) return invalid(rule.id, 'the pattern has no such group')
  return ok({ ...rule, order, regex, cost, least })
}

/** A value is matched as a whole; everything else from the position where it is tried. */
function compilePattern(rule: ContentRule): RegExp | undefined {
  const flags = `${rule.at === 'anywhere' ? 'g' : 'y'}${rule.ignoreCase ? 'i' : ''}d`
  const source = rule.at === 'value' ? `^(?:${rule.pattern})$` : rule.pattern
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined // the caller names the rule; the engine's own message would quote the pattern
  }
}

const groupsIn = (pattern: string): number =>
  (pattern.replace(/\\./g, '').match(/\((?!\?)|\(\?<[A-Za-z]/g) ?? []).length

const wrongIn = ({ issues }: z.ZodError): string =>
  issues
    .map(
      ({ path, message }) => `\`${path.map(String).join('.')}\` ${message.replace(/^Invalid (?:input|option): /, '')}`,
    )
    .join(', ')

const idOf = (input: unknown): string =>
  typeof input === 'object' && input !== null && 'id' in input && typeof input.id === 'string' ? input.id : 'without id'

const invalid = (rule: string, why: string): Result<never> =>
  refuse('config.invalid', { path: `dlp rule \`${rule}\``, why })

const needsKeyword = ({ at, keywords }: ContentRule): boolean =>
  at === 'keyword' || at === 'value' || (at === 'anywhere' && keywords.length > 0)

const useOf = (
  keyword: string,
  here: readonly CompiledContentRule[],
  values: readonly CompiledContentRule[],
  anywhere: readonly CompiledContentRule[],
): KeywordUse => ({ keyword, here, values, anywhere, least_value: Math.min(...values.map(({ least }) => least)) })

function indexed(rules: readonly CompiledContentRule[]): CompiledRules {
  const users = new Map<string, CompiledContentRule[]>()
  for (const rule of rules) {
    for (const keyword of new Set(rule.keywords)) {
      const known = users.get(keyword)
      if (known === undefined) users.set(keyword, [rule])
      else known.push(rule)
    }
  }
  const uses = [...users].map(([keyword, own]): KeywordUse => {
    const at = (where: ContentRule['at']) => own.filter((rule) => rule.at === where)
    return useOf(keyword, at('keyword'), at('value'), at('anywhere'))
  })
  const at = (where: ContentRule['at']): CompiledContentRule[] => rules.filter((rule) => rule.at === where)
  return {
    rules,
    finder: buildWordFinder(uses.map(({ keyword }) => keyword)),
    uses,
    number: numberRules(at('number')),
    code: at('code'),
    colon: at('colon'),
    everywhere: at('anywhere').filter((rule) => rule.keywords.length === 0),
    needs_keyword: rules.every(needsKeyword),
    names: new KnownNames(),
  }
}

/**
 * Some of the rules, or variants of them, with the finder, patterns and order of all. A gate uses several such selections, and a finder
 * takes 300 KB.
 */
export function selectRules(
  all: CompiledRules,
  pick: (rule: CompiledContentRule) => CompiledContentRule | undefined,
): CompiledRules {
  const picked = new Map(all.rules.map((rule) => [rule, pick(rule)]))
  const of = (rules: readonly CompiledContentRule[]) => rules.flatMap((rule) => picked.get(rule) ?? [])
  const isKept = ({ here, values, anywhere }: KeywordUse) =>
    [here, values, anywhere].every((rules) => rules.every((rule) => picked.get(rule) === rule))
  const uses = all.uses.map((use): KeywordUse | undefined => {
    // Most are the same in every selection.
    if (use === undefined || isKept(use)) return use
    const own = useOf(use.keyword, of(use.here), of(use.values), of(use.anywhere))
    return own.here.length + own.values.length + own.anywhere.length === 0 ? undefined : own
  })
  const rules = of(all.rules)
  return {
    rules,
    finder: all.finder,
    uses,
    number: numberRules(of(all.number.rules.map(({ rule }) => rule))),
    code: of(all.code),
    colon: of(all.colon),
    everywhere: of(all.everywhere),
    needs_keyword: rules.every(needsKeyword),
    names: new KnownNames(),
  }
}
