/** A refusal of the gate, as it says it (RFC 9457). */
export type Problem = {
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly status: number
  readonly about: Readonly<Record<string, string>>
}

/** Thrown by every request that did not get a good answer. `offline` when no answer came at all. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly problem: Problem
  readonly body: unknown
  constructor(problem: Problem, body?: unknown) {
    super(problem.title)
    this.problem = problem
    this.body = body
  }
}

export const NO_ANSWER: Problem = {
  code: 'no_answer',
  title: 'the gate does not answer',
  detail: '',
  status: 0,
  about: {},
}

export const problemOf = (error: unknown): Problem =>
  error instanceof ProblemError
    ? error.problem
    : { ...NO_ANSWER, code: 'console.error', title: error instanceof Error ? error.message : 'unknown error' }

export const codeOf = (error: unknown): string => problemOf(error).code
