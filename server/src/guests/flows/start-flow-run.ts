import type { Caller } from '../../kernel/contract/caller.ts'
import type { FlowRunRow } from './flow-rows.ts'
import { FLOW_SCHEMAS, type FlowRunView } from './flows.ts'
import type { Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { actorHash } from './actor-hash.ts'
import { startRequest } from './flow-requests.ts'
import { headId } from './flow-listings.ts'
import { refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import {
  auditFlow,
  gated,
  isoOf,
  sees,
  visibilityOf,
  swapFlow,
  versionRow,
  withHistory,
  type Did,
  type FlowPorts,
} from './flow-access.ts'
import { runView } from './flow-views.ts'
import { refuse } from './problems.ts'

export type RunAnswer = { readonly schema: string; readonly run: FlowRunView }

/** Starts a run of one version of a flow. All steps are pending. */
export async function startFlowRun(
  deps: FlowPorts,
  caller: Caller,
  body: Json | undefined,
): Promise<Result<RunAnswer>> {
  const open = await gated(deps, 'writes')
  if (!open.ok) return open
  const asked = startRequest(body)
  if (!asked.ok) return asked
  const { flow_id, harness, task_ref, external_ref, vault_id } = asked.value
  const visibility = visibilityOf(deps, caller, vault_id)
  if (!visibility.ok) return visibility
  const { vault } = visibility.value
  const head = vault === undefined ? undefined : await deps.tables.row('flows', headId(vault, flow_id))
  const version = asked.value.version ?? (head?.row.is === 'head' ? head.row.flow.version : undefined)
  const found =
    vault === undefined || version === undefined ? undefined : await versionRow(deps, vault, flow_id, version)
  // A flow's visibility follows the scope of its newest version, so that narrowing it applies to older versions too.
  const isVisible =
    head?.row.is === 'head' && sees(visibility.value, { vault_id: vault ?? '', scope: head.row.flow.scope })
  if (
    found === undefined ||
    !isVisible ||
    !sees(visibility.value, { vault_id: found.vault_id, scope: found.flow.scope })
  )
    return refuse('unknown_flow', { flow_id })
  const now = deps.clock()
  const run: FlowRunRow = {
    v: 1,
    is: 'run',
    run_id: deps.ids.run(),
    vault_id: found.vault_id,
    flow_id,
    flow_version: found.flow.version,
    title: found.flow.title,
    scope: found.flow.scope,
    status: 'in_progress',
    step_states: found.steps.map(({ step_id }) => ({
      step_id,
      status: 'pending',
      evidence_ref: null,
      pointer_kind: null,
      verified: false,
      skip_reason: null,
    })),
    started: isoOf(now),
    provenance: { actor: actorHash(deps.digest, caller), harness },
    task_ref,
    external_ref,
    consents: 0,
    executions: [],
    history: [],
  }
  const did: Did = { by: caller, type: 'flow.started', did: 'started', about: { harness } }
  const row = withHistory(run, did, now)
  const recorded = await deps.ledger.commit([swapFlow(row, row.run_id, 'absent'), auditFlow(deps, row, did, now)])
  if (recorded !== 'committed') return refuseUnrecorded(recorded)
  return ok({ schema: FLOW_SCHEMAS.start, run: runView({ row, version: 1 }) })
}
