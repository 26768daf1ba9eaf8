import { problemsOf, type ProblemsIn, type ProblemTable } from '../../kernel/contract/problems.ts'

export const AGENT_PROBLEMS = {
  'agent.thread_unknown': {
    http: 404,
    retry: 'never',
    says: 'you have no such thread',
    do: 'leave the thread out to start a new one, or list yours with `sluice agent threads`',
  },
  'agent.thread_ended': {
    http: 410,
    retry: 'never',
    says: 'the thread has ended',
    do: 'leave `thread_id` out to start a new one',
  },
  'agent.message_too_long': {
    http: 413,
    retry: 'never',
    says: 'the message is too long',
    do: 'shorten it to at most `limit` characters (`agent.message_chars`)',
  },
  'agent.memory_full': {
    http: 503,
    retry: 'later',
    says: 'too many unstored threads are open',
    do: 'try again later, or leave `do_not_store` out',
  },
  'agent.key_reused': {
    http: 409,
    retry: 'never',
    says: 'this idempotency key was used for another message',
    do: 'use a new key for a new message',
  },
} as const satisfies ProblemTable

declare module '../../kernel/contract/problems.ts' {
  interface Problems extends ProblemsIn<typeof AGENT_PROBLEMS> {}
}

export const { problem, refuse } = problemsOf(AGENT_PROBLEMS)
