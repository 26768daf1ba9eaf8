import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const SERVER_LOGIN_PROBLEMS = {
  'login.not_offered': {
    http: 409,
    retry: 'never',
    says: 'people do not log in to this server',
    do: 'nothing to do: only servers with a `url`, and without `oauth` and an `authorization` header, need a login',
  },
  'login.failed': {
    http: 502,
    retry: 'later',
    says: 'the login did not succeed',
    do: 'read `why`, then start again with `sluice servers login SERVER`',
  },
  'login.unknown': {
    http: 404,
    retry: 'never',
    says: 'no login is waiting at this address: it was already completed, has expired, or the gate was restarted',
    do: 'start again with `sluice servers login SERVER`',
  },
  'login.other_person': {
    http: 409,
    retry: 'never',
    says: 'this login is for somebody other than the person logged in to the console in this browser',
    do: 'let `user` open the address in their own browser; if they did not send it to you, close this page',
  },
  'login.too_many': {
    http: 429,
    retry: 'later',
    says: 'too many logins are waiting to be completed in a browser',
    do: 'complete one of them, or wait until they expire',
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof SERVER_LOGIN_PROBLEMS> {}
}

export const { problem, refuse } = problemsOf(SERVER_LOGIN_PROBLEMS)
