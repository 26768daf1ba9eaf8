import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const TOOLFLOW_PROBLEMS = {
  'toolflow.expired': {
    http: 410,
    retry: 'never',
    says: 'the record of this toolflow was deleted after its retention time',
    do: 'run it again; see `retention` in docs/operate/configure.md',
  },
  'toolflow.unknown': {
    http: 404,
    retry: 'never',
    says: 'no toolflow has this id',
    do: 'use the `run_id` of the answer that started it',
  },
  'toolflow.key_reused': {
    http: 409,
    retry: 'never',
    says: 'this idempotency key was used for a flow with a different text',
    do: 'use a new key for a new flow',
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof TOOLFLOW_PROBLEMS> {}
}

export const { problem, refuse } = problemsOf(TOOLFLOW_PROBLEMS)
