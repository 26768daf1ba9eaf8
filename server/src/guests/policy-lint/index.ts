import type { Guest } from '../../kernel/registries.ts'

export const policyLint: Guest = {
  name: 'policy-lint',
  policyCheck: async () => (await import('./lint-policy.ts')).checkPolicy,
}
