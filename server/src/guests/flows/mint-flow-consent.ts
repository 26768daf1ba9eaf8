import type { Caller } from '../../kernel/contract/caller.ts'
import type { FlowConsentRow } from './flow-rows.ts'
import { FLOW_LIMITS, FLOW_SCHEMAS, type FlowConsentView } from './flows.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { mayDecide } from '../../kernel/approvals/may-decide.ts'
import { actorHash } from './actor-hash.ts'
import { bad } from './bad-request.ts'
import { mintRequest } from './flow-requests.ts'
import { inProgress } from './run-moves.ts'
import type { PasskeyPorts } from '../../kernel/identity/passkeys.ts'
import { provePerson, type ProvenPerson, type ShownProof } from '../../kernel/identity/prove-person.ts'
import { accountOf, changeRun, gated, type FlowPorts } from './flow-access.ts'
import { consentView } from './flow-views.ts'
import { refuse } from './problems.ts'

export type ConsentAnswer = { readonly schema: string; readonly consent: FlowConsentView }

/**
 * Permits executions of one run's steps in advance: for the minter's own person, limited in lanes, units and time. A consent of
 * somebody who may decide lifts asks, so they prove that it is them.
 */
export async function mintFlowConsent(
  deps: FlowPorts & PasskeyPorts,
  caller: Caller,
  body: Json | undefined,
  shown: ShownProof = {},
): Promise<Result<ConsentAnswer>> {
  const open = await gated(deps, 'execution')
  if (!open.ok) return open
  const policy = open.value
  const asked = mintRequest(body)
  if (!asked.ok) return asked
  const { allowed_lanes, cost_cap_units = policy.default_cost_cap_units } = asked.value
  const ttl = Math.min(asked.value.ttl_seconds ?? policy.default_ttl_seconds, policy.max_ttl_seconds)
  const cap = Math.min(cost_cap_units, policy.max_cost_cap_units)
  const lifts_asks = mayDecide(caller).ok
  let minted: FlowConsentRow | undefined
  let proven: ProvenPerson | undefined
  const changed = await changeRun(deps, caller, asked.value, async ({ row }) => {
    const running = inProgress(row)
    if (!running.ok) return running
    const denied = allowed_lanes.find((lane) => !policy.allowed_lanes.includes(lane))
    if (denied !== undefined) return refuse('FLOW_EXECUTION_LANE_DENIED', { lane: denied })
    if (row.consents >= FLOW_LIMITS.consents) return bad(`A run has at most ${FLOW_LIMITS.consents} consents`)
    if (lifts_asks && proven === undefined) {
      const given = await provePerson(deps, caller, shown)
      if (!given.ok) return given
      proven = given.value
    }
    const now = deps.clock()
    const consent: FlowConsentRow = {
      v: 1,
      consent_id: `fcons_${deps.ids.hex(12)}`,
      vault_id: row.vault_id,
      scope: row.scope,
      run_id: row.run_id,
      flow_id: row.flow_id,
      flow_version: row.flow_version,
      allowed_lanes,
      cost_cap_units: cap,
      actor_hash: actorHash(deps.digest, caller),
      minted_by: caller.id,
      ...(caller.credential?.key === undefined ? {} : { minted_key: caller.credential.key }),
      lifts_asks,
      minted_at: now,
      expires_at: now + ttl * 1_000,
      of_run: row.run_id,
    }
    minted = consent
    const { consent_id } = consent
    return ok({
      row: { ...row, consents: row.consents + 1 },
      did: {
        by: caller,
        type: 'flow.consent_minted',
        did: 'consent_mint',
        note: `${cap} units`,
        about: { consent: consent_id, lanes: allowed_lanes.join(', '), units: cap, expires_at: consent.expires_at },
      },
      ...(proven === undefined ? {} : { proven }),
      more: [
        { kind: 'swap', table: 'flow_consents', id: consent_id, from: 'absent', to: consent },
        { kind: 'open', account: accountOf(consent_id), units: cap },
      ],
    })
  })
  if (!changed.ok) return changed
  return minted === undefined
    ? refuse('audit.unavailable')
    : ok({ schema: FLOW_SCHEMAS.mint, consent: consentView(minted, cap) })
}
