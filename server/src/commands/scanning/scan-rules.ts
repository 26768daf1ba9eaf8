import type { Config } from '../../contract/config.ts'
import { Bug, ok, type Result } from '../../contract/problems.ts'
import { argRulesOf, type ArgRules } from '../../core/dlp/arg-rules.ts'
import { compileRules, type CompiledRules } from '../../core/dlp/compile-rules.ts'
import { BUILT_IN_RULES } from '../../core/dlp/rules/built-in-rules.ts'

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

export function compileScanRules(dlp: Config['dlp']): Result<ScanRules> {
  const all = compileRules(BUILT_IN_RULES, dlp.rules)
  if (!all.ok) return all
  return ok({
    args: argRulesOf(all.value),
    shown: rulesFor({ ...dlp, outputs: 'strict' }),
    outputs: dlp.outputs === 'off' ? undefined : rulesFor(dlp),
    messages: messageRules(dlp),
  })
}

/**
 * Rules that guess from a name or from randomness alone: right for what is sent, but they would also match page tokens in
 * answers.
 */
const GUESSES = ['assigned-password', 'assigned-credential', 'random-string']

function rulesFor({ outputs, rules: extra }: Config['dlp']): CompiledRules {
  const wanted = BUILT_IN_RULES.filter(
    ({ id, kind }) => outputs === 'all' || (kind === 'secret' && (outputs === 'strict' || !GUESSES.includes(id))),
  )
  return compiled([...wanted, ...extra])
}

/** By default the addresses and names that a task is about are kept: without them nobody could ask for a mail to be sent. */
function messageRules({ messages, rules: extra }: Config['dlp']): CompiledRules {
  const wanted = BUILT_IN_RULES.filter(
    ({ id, kind }) => messages === 'all' || kind === 'secret' || id === 'payment-card',
  )
  return compiled([...wanted, ...extra])
}

function compiled(rules: readonly unknown[]): CompiledRules {
  const one = compileRules([], rules)
  if (!one.ok) throw new Bug('rules that compile together compile in part')
  return one.value
}
