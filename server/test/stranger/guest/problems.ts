import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const STRANGER_PROBLEMS = {
  'greeting.unwanted': {
    http: 422,
    retry: 'never',
    says: 'this person does not want to be greeted',
    do: 'greet somebody else',
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof STRANGER_PROBLEMS> {}
}

export const { refuse } = problemsOf(STRANGER_PROBLEMS)
