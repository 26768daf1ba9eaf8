import { FlowConsentId } from './ids.ts'
import { type Caller, flowRoleOf } from '../../kernel/contract/caller.ts'
import type { FlowConsentRow } from './flow-rows.ts'
import { FLOW_SCHEMAS } from './flows.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { actorHash } from './actor-hash.ts'
import { revokeRequest } from './flow-requests.ts'
import {
  accountOf,
  changeRun,
  checkEtag,
  gated,
  sees,
  visibilityOf,
  visibleRun,
  type FlowPorts,
} from './flow-access.ts'
import { consentView } from './flow-views.ts'
import type { ConsentAnswer } from './mint-flow-consent.ts'
import { refuse } from './problems.ts'

/** Revokes a consent, by its minter or an admin. What is executing is not undone; nothing more starts under it. */
export async function revokeFlowConsent(
  deps: FlowPorts,
  caller: Caller,
  body: Json | undefined,
): Promise<Result<ConsentAnswer>> {
  const open = await gated(deps, 'writes')
  if (!open.ok) return open
  const asked = revokeRequest(body)
  if (!asked.ok) return asked
  const { consent_id, run_id, vault_id, etag } = asked.value
  const visibility = visibilityOf(deps, caller, vault_id)
  if (!visibility.ok) return visibility
  const held = FlowConsentId.safeParse(consent_id).success
    ? await deps.tables.row('flow_consents', consent_id)
    : undefined
  if (held === undefined || !sees(visibility.value, held.row)) return refuse('unknown_consent', { consent_id })
  if (run_id !== undefined && run_id !== held.row.run_id) return refuse('unknown_consent', { consent_id })
  const isMinter = held.row.actor_hash === actorHash(deps.digest, caller)
  if (!isMinter && flowRoleOf(caller) !== 'admin')
    return refuse('auth.forbidden', { needs: 'the minter of the consent, or the flow role admin' })
  if (held.row.revoked_at !== undefined) return answer(deps, held.row)
  let revoked: FlowConsentRow | undefined
  const changed = await changeRun(
    deps,
    caller,
    { run_id: held.row.run_id, vault_id: held.row.vault_id },
    async (run) => {
      const same = checkEtag(etag, run.version)
      if (!same.ok) return same
      const now = await deps.tables.row('flow_consents', consent_id)
      if (now === undefined) return refuse('unknown_consent', { consent_id })
      revoked = { ...now.row, revoked_at: deps.clock(), revoked_by: caller.id }
      return ok({
        row: run.row,
        did: { by: caller, type: 'flow.consent_revoked', did: 'consent_revoke', about: { consent: consent_id } },
        more: [{ kind: 'swap', table: 'flow_consents', id: consent_id, from: now.version, to: revoked }],
      })
    },
    // Whoever minted it may end it, also after they have lost the right to change the run.
    visibleRun,
  )
  if (!changed.ok) return changed
  return revoked === undefined ? refuse('audit.unavailable') : answer(deps, revoked)
}

async function answer({ accounts }: FlowPorts, row: FlowConsentRow): Promise<Result<ConsentAnswer>> {
  const left = await accounts.left(accountOf(row.consent_id))
  return ok({ schema: FLOW_SCHEMAS.consent, consent: consentView(row, left) })
}
