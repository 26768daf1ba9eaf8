import type { CallRow, Outcome } from '../contract/call.ts'
import { Bug, problem, type Problem, type ProblemCode } from '../contract/problems.ts'
import { mayHaveRunBefore } from './interpret.ts'
import { HINT_RULE } from '../decide/judge-repetition.ts'

/** Where a person decides about an approval: the page to open, and on a node the hub that decides. */
export type Links = (approval_id: string) => { readonly url: string; readonly hub?: string }

const RETRIED = 'this was a retry, and it is not known whether the earlier attempt took effect'

/** The current outcome of a call, from its row: the same value at every door, however often it is requested. */
export function describeCall(row: CallRow, links: Links): Outcome {
  const { call_id } = row
  if (row.state === 'executed') return describeExecuted(row)
  const expired = row.expired_at === undefined ? {} : { expired_at: row.expired_at }
  switch (row.state) {
    case 'pending':
      if (row.approval_id === undefined || row.held_until === undefined) throw new Bug('a held call has a request')
      return {
        status: 'pending',
        call_id,
        approval_id: row.approval_id,
        ...links(row.approval_id),
        expires_at: row.held_until,
        evidence: row.verdict.evidence,
      }
    case 'refused':
      return {
        status: 'refused',
        call_id,
        problem: row.problem ?? problem('call.blocked'),
        evidence: row.verdict.evidence,
        ...expired,
      }
    case 'failed':
      return {
        status: 'failed',
        call_id,
        problem: row.problem ?? problem('tool.failed'),
        ...(row.result === undefined ? {} : { result: row.result }),
        ...(row.output === undefined ? {} : { output: row.output }),
        ...hintIn(row),
        ...expired,
      }
    case 'executing':
      return { status: 'executing', call_id }
    case 'not_reported':
      return { status: 'not_reported', call_id }
    case 'unknown':
      return { status: 'unknown', call_id, problem: row.problem ?? problem('call.interrupted'), ...retryIn(row, links) }
    default:
      throw new Bug('a call has one of seven states')
  }
}

/** The request that a retry waits for. */
function retryIn({ retry, approval_id, held_until }: CallRow, links: Links): Pick<Unknown, 'retry'> {
  if (retry === undefined || approval_id === undefined || held_until === undefined) return {}
  return { retry: { approval_id, ...links(approval_id), expires_at: held_until } }
}

/** Most executed calls have only a result: the rest is added where there is any. */
function describeExecuted(row: CallRow): Executed {
  const { call_id, result, output, rollback, expired_at } = row
  if (result === undefined || output === undefined) throw new Bug('an executed call has a result')
  const executed: { -readonly [Field in keyof Executed]: Executed[Field] } = {
    status: 'executed',
    call_id,
    result,
    output,
  }
  if (row.due !== undefined || row.evidence !== undefined) Object.assign(executed, verification(row))
  if (rollback !== undefined) executed.rollback = rollback.says
  const hint = hintSaid(row)
  if (hint !== undefined) executed.hint = hint
  if (expired_at !== undefined) executed.expired_at = expired_at
  return executed
}

const hintSaid = ({ verdict }: CallRow): string | undefined =>
  verdict.evidence.find(({ rule }) => rule === HINT_RULE)?.says

/** The hint for a model that reads in a loop, or after a retry. */
function hintIn(row: CallRow): Pick<Executed, 'hint'> {
  const hint = mayHaveRunBefore(row) ? RETRIED : hintSaid(row)
  return hint === undefined ? {} : { hint }
}

/** Whether the outcome was read back; unknown until then. */
function verification({ due, read_back, evidence }: CallRow): Pick<Executed, 'verified' | 'read_back'> {
  if (due === 'verify') {
    const expected = read_back?.expected.join(', ') ?? ''
    return { verified: 'unknown', read_back: `not read back yet: ${expected}` }
  }
  return evidence?.verify === undefined ? {} : { verified: evidence.verify.ok, read_back: evidence.verify.says }
}

/** The outcome of a request that was not executed. */
export const refused = (why: Problem): Outcome => ({ status: 'refused', problem: why, evidence: [] })

type Executed = Extract<Outcome, { status: 'executed' }>
type Unknown = Extract<Outcome, { status: 'unknown' }>

const FOR_NOW: readonly ProblemCode[] = ['audit.unavailable', 'audit.in_doubt', 'call.contended', 'gate.stopping']

/** A problem that may be gone a moment later: the driver of a run tries again. */
export const isTemporary = ({ code }: Problem): boolean => FOR_NOW.includes(code)

/** Rejected for a temporary reason. */
export const isForNow = (outcome: Outcome): boolean => outcome.status === 'refused' && isTemporary(outcome.problem)
