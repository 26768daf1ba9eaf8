import type { CallBody } from '../../kernel/contract/call-body.ts'
import type { CallRequest, Outcome } from '../../kernel/contract/call.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { parentSpanOf } from './trace-of.ts'

type Sent = {
  readonly trace: string
  readonly idempotency_key: string | undefined
  readonly traceparent: string | undefined
}

/** The call that a request asks for. */
export function callRequestOf(caller: Caller, body: CallBody, sent: Sent): CallRequest {
  const { tool, args, thread, canonical_args, args_hash, dry_run, user_words } = body
  const { trace, idempotency_key, traceparent } = sent
  const claimed = {
    ...(canonical_args === undefined ? {} : { canonical: canonical_args }),
    ...(args_hash === undefined ? {} : { hash: args_hash }),
  }
  return {
    caller,
    tool,
    args,
    trace,
    ...parentSpanOf(traceparent),
    claimed,
    ...(thread === undefined ? {} : { thread }),
    ...(idempotency_key === undefined ? {} : { idempotency_key }),
    ...(dry_run === undefined ? {} : { dry_run }),
    ...(user_words === undefined ? {} : { words: user_words }),
  }
}

/** A call's outcome as HTTP: a refused or failed call is a problem, with the evidence added. */
export function outcomeResponse(outcome: Outcome, trace: string): Response | Outcome {
  switch (outcome.status) {
    case 'refused':
    case 'failed':
      return problemResponse(outcome.problem, trace, withoutProblem(outcome))
    case 'pending':
    case 'executing':
      return jsonResponse(202, outcome)
    default:
      return outcome
  }
}

function withoutProblem({ problem: _, status, ...rest }: Extract<Outcome, { status: 'refused' | 'failed' }>) {
  return { outcome: status, ...rest }
}
