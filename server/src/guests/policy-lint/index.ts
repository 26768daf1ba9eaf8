import type { Guest } from '../../kernel/registries.ts'

export const policyLint: Guest = {
  name: 'policy-lint',
}
