import type { Call } from '../../kernel/contract/call.ts'
import type { FlowConsentRow } from './flow-rows.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import type { ConsentMoment, SeenKey } from '../../kernel/consents/match-consent.ts'

/** The consent under which a flow's step is executed: the row, and the versions it and its key must still have when the call starts. */
export type FlowConsentFact = {
  readonly row: FlowConsentRow
  readonly version: number
  readonly key?: SeenKey
  readonly actor_hash: string
}

/**
 * Whether it covers an ask about this call now. Its units were reserved before the call was made.
 * INVARIANT: it does not match if it is revoked, expired, of another person, for other lanes, or minted by somebody who cannot
 * decide.
 */
export function matchFlowConsent(
  { row, actor_hash }: FlowConsentFact,
  call: Call,
  { now, lane }: ConsentMoment,
): boolean {
  if (call.by_run?.consent !== row.consent_id || !row.lifts_asks) return false
  if (row.revoked_at !== undefined || now >= row.expires_at || now < row.minted_at) return false
  return row.actor_hash === actor_hash && typeof lane === 'string' && row.allowed_lanes.includes(lane)
}

export const flowConsentedBy = ({ row }: FlowConsentFact, at: number): Opinion => ({
  decider: 'consent',
  effect: 'allow',
  rule: row.consent_id,
  says: `covered by the consent ${row.consent_id} for the flow run ${row.run_id}, granted in advance by ${row.minted_by}; its units are reserved`,
  source: 'consent',
  at,
})
