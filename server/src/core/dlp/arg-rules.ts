import { selectRules, type CompiledRules } from './compile-rules.ts'
import { isFirm } from './joined-text.ts'

/** `firm`: the rules that may also be searched for in text without its separators. */
export type ArgRules = { readonly all: CompiledRules; readonly firm: CompiledRules }

export function argRulesOf(all: CompiledRules): ArgRules {
  return { all, firm: selectRules(all, (rule) => (isFirm(rule) ? { ...rule, glued: true } : undefined)) }
}
