import { ProblemError, type ClientProblem } from '../../../server/src/client/client.ts'

export { ProblemError }

/** A problem from the gate, or an error in this page. */
export type ConsoleProblem = Omit<ClientProblem, 'code'> & { readonly code: ClientProblem['code'] | 'console.error' }

export const problemOf = (error: unknown): ConsoleProblem =>
  error instanceof ProblemError
    ? error.problem
    : {
        code: 'console.error',
        title: error instanceof Error ? error.message : 'unknown error',
        detail: '',
        status: 0,
        about: {},
      }

export const codeOf = (error: unknown): string => problemOf(error).code
