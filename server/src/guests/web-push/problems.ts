import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const WEB_PUSH_PROBLEMS = {
  'push.not_allowed': {
    http: 400,
    retry: 'never',
    says: 'this is not the address of a push service',
    do: 'send the subscription exactly as the browser created it',
  },
  'push.too_many': {
    http: 409,
    retry: 'never',
    says: 'you have reached the limit of browsers that receive notifications',
    do: 'remove one that you no longer use',
  },
  'push.unknown': {
    http: 404,
    retry: 'never',
    says: 'you have no subscribed browser with this id',
    do: 'list your browsers, and use an id from the list',
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof WEB_PUSH_PROBLEMS> {}
}

export const { problem, refuse } = problemsOf(WEB_PUSH_PROBLEMS)
