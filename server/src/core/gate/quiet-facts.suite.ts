import type { Tool } from '../../contract/tool.ts'
import { compileRules } from '../dlp/compile-rules.ts'
import { BUILT_IN_RULES } from '../dlp/rules/built-in-rules.ts'
import { Bug } from '../../contract/problems.ts'
import type { Facts } from './facts.ts'

const rules = compileRules(BUILT_IN_RULES, [])
if (!rules.ok) throw new Bug('the built-in rules compile')

/** Facts of which no decider but policy has anything to say. */
export function quietFacts(tool: Tool): Facts {
  return {
    now: 1,
    integrity: 'intact',
    tool,
    pauses: [],
    look_alikes: [],
    files: { sandbox: 'none', args: [] },
    traps: { traps: [], files: [] },
    content: { secrets: 'block', pii: 'ask', rules: QUIET_RULES },
    budgets: [],
    history: { rejections: [], earlier: 0, limits: { most: 5, within_s: 600 } },
  }
}

const QUIET_RULES = rules.value
