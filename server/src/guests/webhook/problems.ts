import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const WEBHOOK_PROBLEMS = {
  'channel.unknown': {
    http: 404,
    retry: 'never',
    says: 'no channel with this name accepts replies',
    do: 'give the webhook a `callback` in the configuration',
  },
  'channel.not_genuine': {
    http: 401,
    retry: 'never',
    says: "the signature is missing, or does not match this channel's secret",
    do: "sign `id.timestamp.body` with the callback's secret, see docs/approve.md",
  },
  'channel.outdated': {
    http: 401,
    retry: 'never',
    says: 'the signed timestamp is too old or too far in the future',
    do: "sign with the current time, and correct the sender's clock",
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof WEBHOOK_PROBLEMS> {}
}

export const { problem, refuse } = problemsOf(WEBHOOK_PROBLEMS)
