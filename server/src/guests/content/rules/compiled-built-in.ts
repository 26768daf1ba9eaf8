import { Bug } from '../../../kernel/contract/problems.ts'
import { compileRules, type CompiledRules } from '../compile-rules.ts'
import { BUILT_IN_RULES } from './built-in-rules.ts'

let compiled: CompiledRules | undefined

/** The built-in rules, compiled on first use. */
export function compiledBuiltIn(): CompiledRules {
  compiled ??= compileBuiltIn()
  return compiled
}

function compileBuiltIn(): CompiledRules {
  const rules = compileRules(BUILT_IN_RULES, [])
  if (!rules.ok) throw new Bug('a built-in rule does not compile')
  return rules.value
}
