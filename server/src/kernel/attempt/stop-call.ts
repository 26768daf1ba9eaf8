import type { CallRow, Outcome, ToolResult } from '../contract/call.ts'
import type { Problem } from '../contract/problems.ts'
import { freesAt } from '../decide/judge-budget.ts'
import { judgedOf } from '../policy/recorded-call.ts'
import { whyUnrecorded } from '../changes/unrecorded.ts'
import { commitAndStop, stoppingChanges } from '../identity/quarantine.ts'
import type { Change, Ledger } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import { outputLabel } from '../sessions/labels.ts'
import { auditOf, blockedProblem } from './call-changes.ts'
import type { Ready } from './check-call.ts'
import { describeCall, type Links } from './describe-call.ts'
import { integrityFinding } from './integrity-finding.ts'
import type { JudgedCall } from './judge-call.ts'
import type { PreparedCall } from './prepare-call.ts'

export type StopDeps = { readonly tables: Tables; readonly ledger: Ledger; readonly links: Links }

/** A failing check, or a failing or missing dry run, stops the call before anything is executed or held. */
export async function stopCall(
  deps: StopDeps,
  { call, tool }: PreparedCall,
  { verdict, facts, policy_version }: JudgedCall,
  why: Problem,
  result: ToolResult | undefined,
  ready: Ready = { parts: {} },
): Promise<Outcome> {
  const row: CallRow = {
    ...call,
    ...ready.parts,
    v: 1,
    state: 'failed',
    verdict,
    policy_version,
    judged: judgedOf(facts),
    idempotent: tool.idempotent,
    attempt: 0,
    ended_at: facts.now,
    problem: why.code === 'call.blocked' ? blockedProblem(verdict, freesAt(facts.budgets)) : why,
    ...(result === undefined ? {} : { result }),
  }
  const isFailed = why.code === 'call.dry_run_failed' || why.code === 'call.check_failed'
  const settled: CallRow = isFailed ? row : { ...row, state: 'refused' }
  const changes: Change[] = [
    { kind: 'swap', table: 'calls', id: row.call_id, from: 'absent', to: settled },
    {
      kind: 'audit',
      entry: auditOf('call.stopped', settled, facts.now, {
        verdict,
        outcome: settled.state,
        about: { code: why.code, ...ready.about },
      }),
    },
    ...outputLabel(settled, 0, facts.now),
    ...integrityFinding(call, verdict, facts.now),
  ]
  const stopping = () => stoppingChanges(deps, call, verdict, facts.now)
  const recorded = await commitAndStop(deps.ledger, changes, stopping)
  return recorded === 'committed' ? describeCall(settled, deps.links) : refused(whyUnrecorded(recorded))
}

/** The outcome of a request that was not executed. */
export function refused(why: Problem): Outcome {
  return { status: 'refused', problem: why, evidence: [] }
}
