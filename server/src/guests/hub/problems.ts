import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const HUB_PROBLEMS = {
  'hub.no_next_key': {
    http: 409,
    retry: 'never',
    says: 'there is no prepared key',
    do: 'run `sluice hub rotate --prepare`, add the new key to `hub.public_keys` of every node, then rotate',
  },
  'node.request_changed': {
    http: 409,
    retry: 'never',
    says: 'the hub already has this request with different content',
    do: 'make the call again: it becomes a new request',
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof HUB_PROBLEMS> {}
}

export const { problem, refuse } = problemsOf(HUB_PROBLEMS)
