import { selectRules, type CompiledRules } from './compile-rules.ts'
import { isFirm } from './joined-text.ts'
import { KnownNames } from '../../kernel/text/known-names.ts'

export type ArgRules = {
  readonly all: CompiledRules
  /** The rules that may also be searched for in text without its separators. */
  readonly firm: CompiledRules
  /** Names of fields that contain nothing sensitive. */
  readonly clean: KnownNames<true>
}

export function argRulesOf(all: CompiledRules): ArgRules {
  const firm = selectRules(all, (rule) => (isFirm(rule) ? { ...rule, glued: true } : undefined))
  return { all, firm, clean: new KnownNames() }
}
