import type { Judging, ReadRunConsent } from '../../kernel/decide/judging.ts'
import type { Call } from '../../kernel/contract/call.ts'
import type { RunConsentFact } from '../../kernel/decide/facts.ts'
import type { ConsentMoment } from '../../kernel/consents/match-consent.ts'
import { asItStands, expectsKey } from '../../kernel/identity/standing-grants.ts'
import { actorHash } from './actor-hash.ts'
import type { FlowConsentRow } from './flow-rows.ts'

/** The consent under which a flow's step is executed, if it covers an ask about this call now. Its units were reserved before the call was made. */
const readFlowConsent: ReadRunConsent = async ({ tables, digest }, call, moment) => {
  const held = call.by_run?.consent === undefined ? undefined : await tables.row('flow_consents', call.by_run.consent)
  if (held === undefined) return undefined
  const { row, key } = await asItStands(tables, held.row)
  if (!matchFlowConsent({ row, actor_hash: actorHash(digest, call.caller) }, call, moment)) return undefined
  const fact: RunConsentFact = {
    consent_id: row.consent_id,
    says: `covered by the consent ${row.consent_id} for the flow run ${row.run_id}, granted in advance by ${row.minted_by}; its units are reserved`,
    expects: [
      { kind: 'expect', table: 'flow_consents', id: row.consent_id, version: held.version },
      ...expectsKey(key),
    ],
  }
  return fact
}

/**
 * INVARIANT: it does not match if it is revoked, expired, of another person, for other lanes, or minted by somebody who cannot
 * decide.
 */
function matchFlowConsent(
  { row, actor_hash }: { readonly row: FlowConsentRow; readonly actor_hash: string },
  call: Call,
  { now, lane }: ConsentMoment,
): boolean {
  if (call.by_run?.consent !== row.consent_id || !row.lifts_asks) return false
  if (row.revoked_at !== undefined || now >= row.expires_at || now < row.minted_at) return false
  return row.actor_hash === actor_hash && typeof lane === 'string' && row.allowed_lanes.includes(lane)
}

export const judging: Judging = { readRunConsent: readFlowConsent }
