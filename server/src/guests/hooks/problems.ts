import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const HOOK_PROBLEMS = {
  'init.hook_not_installed': {
    http: 500,
    retry: 'never',
    says: 'the program that the hooks of coding agents start could not be written',
    do: 'make sure that only you can access that folder, then run the command again',
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof HOOK_PROBLEMS> {}
}

export const { problem, refuse } = problemsOf(HOOK_PROBLEMS)
