import type { PublishedCode } from './problem-codes.ts'

/**
 * The code: one of the gate's (docs/errors.md), `no_answer` if there was no answer, or `http.<status>` for an answer that is not the
 * gate's, such as a proxy's.
 */
export type ClientProblemCode = PublishedCode | 'no_answer' | `http.${number}`

/** The problem as the gate sent it (RFC 9457). */
export type ClientProblem = {
  readonly code: ClientProblemCode
  readonly title: string
  readonly detail: string
  /** 0 if there was no answer. */
  readonly status: number
  readonly about: Readonly<Record<string, string>>
  readonly retry?: 'never' | 'later'
  readonly trace_id?: string
}

/** Thrown by every request that does not succeed. */
export class ProblemError extends Error {
  override name = 'ProblemError'
  readonly problem: ClientProblem
  /** The whole answer. */
  readonly body: unknown
  /**
   * The idempotency key of a POST. Without an answer, the request may have been executed: look up its outcome with this key, and do not send it
   * again with another one.
   */
  readonly idempotency_key: string | undefined

  constructor(
    problem: ClientProblem,
    more: { readonly body?: unknown; readonly idempotency_key?: string | undefined } = {},
  ) {
    super(problem.detail === '' ? problem.title : `${problem.title}: ${problem.detail}`)
    this.problem = problem
    this.body = more.body
    this.idempotency_key = more.idempotency_key
  }

  get code(): ClientProblemCode {
    return this.problem.code
  }
}

export const isProblem = (error: unknown, code?: ClientProblemCode): error is ProblemError =>
  error instanceof ProblemError && (code === undefined || error.problem.code === code)

export const NO_ANSWER: ClientProblem = {
  code: 'no_answer',
  title: 'the gate does not answer',
  detail: '',
  status: 0,
  about: {},
}

/** The problem in an answer. */
export function problemIn(status: number, body: unknown): ClientProblem {
  const said = (typeof body === 'object' && body !== null ? body : {}) as Partial<ClientProblem>
  return {
    code: said.code ?? `http.${status}`,
    title: said.title ?? `the gate answered ${status}`,
    detail: said.detail ?? '',
    status,
    about: said.about ?? {},
    ...(said.retry === undefined ? {} : { retry: said.retry }),
    ...(said.trace_id === undefined ? {} : { trace_id: said.trace_id }),
  }
}
