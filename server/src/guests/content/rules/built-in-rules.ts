import type { RuleInput } from '../rule.ts'
import { CLOUD_RULES } from './cloud.ts'
import { CODE_RULES } from './code.ts'
import { COMMERCE_RULES } from './commerce.ts'
import { CONTEXT_RULES } from './contexts.ts'
import { MESSAGING_RULES } from './messaging.ts'
import { NATIONAL_ID_RULES } from './national-ids.ts'
import { PII_RULES } from './pii.ts'
import { SERVICE_RULES } from './services.ts'
import { ASSIGNMENT_RULES, STRUCTURE_RULES } from './structures.ts'

/** Every rule that ships with the gate; if two match the same text, the earlier one names it. */
export const BUILT_IN_RULES: readonly RuleInput[] = [
  ...STRUCTURE_RULES,
  ...CLOUD_RULES,
  ...CODE_RULES,
  ...MESSAGING_RULES,
  ...COMMERCE_RULES,
  ...SERVICE_RULES,
  ...CONTEXT_RULES,
  ...PII_RULES,
  ...NATIONAL_ID_RULES,
  ...ASSIGNMENT_RULES,
]
