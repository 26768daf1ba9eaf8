import { Bug } from '../../contract/problems.ts'
import { compileRules, type CompiledRules } from './compile-rules.ts'
import { isFirm } from './joined-text.ts'

/** `firm`: the rules that may also be searched for in text without its separators. */
export type ArgRules = { readonly all: CompiledRules; readonly firm: CompiledRules }

export function argRulesOf(all: CompiledRules): ArgRules {
  const firm = all.rules.filter(isFirm).map(({ regex: _, cost: __, order: ___, ...rule }) => ({ ...rule, glued: true }))
  const compiled = compileRules(firm, [])
  if (!compiled.ok) throw new Bug('rules that compile together compile in part')
  return { all, firm: compiled.value }
}
