import { Bug } from '../../../kernel/contract/problems.ts'
import { argRulesOf } from '../arg-rules.ts'
import { compileRules } from '../compile-rules.ts'
import { BUILT_IN_RULES } from './built-in-rules.ts'

const compiled = compileRules(BUILT_IN_RULES, [])
if (!compiled.ok) throw new Bug(`the built-in rules do not compile: ${JSON.stringify(compiled.problem)}`)

/** The built-in rules, for tests. */
export const builtIn = compiled.value
export const argRules = argRulesOf(builtIn)
