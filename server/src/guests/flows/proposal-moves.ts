import { isSameName } from '../../kernel/contract/folded-name.ts'
import { PROGRAM_KINDS, type Caller } from '../../kernel/contract/caller.ts'
import type { ProposalRow } from './flow-rows.ts'
import type { Evaluation, RubricItem } from './flows.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { bad } from './bad-request.ts'
import { refuse } from './problems.ts'

/** The questions that a reviewer answers about every proposal. */
export const RUBRIC: readonly RubricItem[] = [
  { id: 'checkable', asks: 'The claims and numbers can be checked', answer: null },
  { id: 'in_job', asks: "It stays inside the step's job", answer: null },
  { id: 'unknowns', asks: 'It says what it does not know', answer: null },
]

/** An agent never reviews, whoever owns it. */
export function mayReview(caller: Caller): Result<void> {
  if (!PROGRAM_KINDS.includes(caller.kind) && caller.kind !== 'user') return ok(undefined)
  return refuse('auth.forbidden', { needs: 'reviewer, approver, admin' })
}

function open(row: ProposalRow, by: Caller): Result<void> {
  if (row.state !== 'proposed') return refuse('proposal.decided', { state: row.state })
  return isSameName(row.proposer, by.user) ? refuse('proposal.own') : ok(undefined)
}

export type EvaluationRequest = {
  readonly answers: Readonly<Record<string, boolean>>
  readonly needs_changes: boolean
  readonly note: string | null
}

/** The rubric with the new answers: all yes is passed, any no is failed, and with answers missing it stays pending. */
export function evaluate(row: ProposalRow, by: Caller, asked: EvaluationRequest): Result<ProposalRow> {
  const allowed = open(row, by)
  if (!allowed.ok) return allowed
  const unknown = Object.keys(asked.answers).find((id) => !row.rubric.some((item) => item.id === id))
  if (unknown !== undefined) return bad(`Unknown rubric item: ${unknown}`)
  const rubric = row.rubric.map((item) =>
    Object.hasOwn(asked.answers, item.id) ? { ...item, answer: asked.answers[item.id] ?? null } : item,
  )
  const evaluation = asked.needs_changes ? 'needs_changes' : resultOf(rubric)
  return ok({ ...row, rubric, evaluation, evaluated_by: by.id, note: asked.note ?? row.note })
}

function resultOf(rubric: readonly RubricItem[]): Evaluation {
  if (rubric.some(({ answer }) => answer === false)) return 'failed'
  return rubric.every(({ answer }) => answer === true) ? 'passed' : 'pending'
}

export type ProposalDecision = { readonly reason: string | null; readonly waive: string | null }

/**
 * INVARIANT: nobody approves their own proposal, and nothing is approved without a passed evaluation if one is required, unless a
 * reviewer waives it with a reason.
 */
export function approve(
  row: ProposalRow,
  by: Caller,
  { reason, waive }: ProposalDecision,
  decided: string,
): Result<ProposalRow> {
  const allowed = open(row, by)
  if (!allowed.ok) return allowed
  const isFree = row.evaluation === 'passed' || !row.evaluation_required || waive !== null
  if (!isFree) return refuse('EVALUATION_REQUIRED', { evaluation: row.evaluation })
  return ok({ ...row, state: 'approved', decided_by: by.id, decided, reason, waived: waive })
}

/** The proposer may withdraw their own proposal; anybody else who discards it must be a reviewer. */
export function discard(row: ProposalRow, by: Caller, reason: string | null, decided: string): Result<ProposalRow> {
  if (row.state !== 'proposed') return refuse('proposal.decided', { state: row.state })
  if (row.proposer !== by.user) {
    const allowed = mayReview(by)
    if (!allowed.ok) return allowed
  }
  return ok({ ...row, state: 'discarded', decided_by: by.id, decided, reason })
}
