import type { Dlp } from './section.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { argRulesOf, type ArgRules } from './arg-rules.ts'
import { compileRules, selectRules, type CompiledRules } from './compile-rules.ts'
import type { CompiledContentRule } from './rule.ts'
import { BUILT_IN_RULES } from './rules/built-in-rules.ts'
import { compiledBuiltIn } from './rules/compiled-built-in.ts'

/** The rules of a configuration, compiled once per thread. */
export type ScanRules = {
  /** Everything sensitive, for the `content` decider. */
  readonly args: ArgRules
  /** What not even an approver sees, and what is not stored for a call that never runs. */
  readonly shown: CompiledRules
  /** What is removed from answers of tool servers before a model sees them; undefined if the operator wants answers unchanged. */
  readonly outputs: CompiledRules | undefined
  /** What is removed from a person's message to the agent: secrets and payment cards, or personal data too. */
  readonly messages: CompiledRules
}

export function compileScanRules(dlp: Dlp): Result<ScanRules> {
  const all = dlp.rules.length === 0 ? ok(compiledBuiltIn()) : compileRules(BUILT_IN_RULES, dlp.rules)
  if (!all.ok) return all
  /** Rules of the operator apply everywhere. */
  const having = (wanted: (rule: CompiledContentRule) => boolean): CompiledRules =>
    selectRules(all.value, (rule) => (!BUILT_IN_IDS.has(rule.id) || wanted(rule) ? rule : undefined))
  const { outputs, messages } = dlp
  return ok({
    args: argRulesOf(all.value),
    shown: having(({ kind }) => kind === 'secret'),
    outputs: outputs === 'off' ? undefined : having((rule) => isRemovedFromOutputs(rule, outputs)),
    // By default the addresses and names that a task is about are kept: without them nobody could ask for a mail to be sent.
    messages: having(({ id, kind }) => messages === 'all' || kind === 'secret' || id === 'payment-card'),
  })
}

const BUILT_IN_IDS: ReadonlySet<string> = new Set(BUILT_IN_RULES.map(({ id }) => id))

/**
 * Rules that guess from a name or from randomness alone: right for what is sent, but they would also match page tokens in
 * answers.
 */
const GUESSES = ['assigned-password', 'assigned-credential', 'random-string']

function isRemovedFromOutputs({ id, kind }: CompiledContentRule, outputs: Dlp['outputs']): boolean {
  return outputs === 'all' || (kind === 'secret' && (outputs === 'strict' || !GUESSES.includes(id)))
}
