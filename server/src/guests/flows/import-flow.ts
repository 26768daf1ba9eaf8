import { type Caller, flowRoleOf } from '../../kernel/contract/caller.ts'
import { FLOW_SCHEMAS, Flow, FlowStep, FlowId, FlowVersion } from './flows.ts'
import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { bad } from './bad-request.ts'
import { mayImport } from './flow-scopes.ts'
import { flowListing, headId, versionId } from './flow-listings.ts'
import { isUnrecorded, refuseUnrecorded } from '../../kernel/changes/unrecorded.ts'
import { isoOf, policyInForce, sees, visibilityOf, swapFlow, versionRow, type FlowPorts } from './flow-access.ts'
import { listMerged } from './read-flow-runs.ts'
import { issueLines } from '../../kernel/contract/issue-lines.ts'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import type { FlowPolicy } from './flow-policy.ts'
import { refuse } from './problems.ts'

export type FlowAnswer = {
  readonly schema: string
  readonly vault_id: string
  readonly flow: Flow
  readonly steps: readonly FlowStep[]
}

/**
 * Accepts a bundle of YAML or JSON text (`source`), or the bundle itself. Validated as a whole; a bundle with a fault is not
 * stored at all.
 */
export async function importFlow(
  deps: FlowPorts,
  caller: Caller,
  body: Json | undefined,
  vault_id?: string,
): Promise<Result<FlowAnswer>> {
  const given = body !== undefined && isJsonObject(body) ? body : undefined
  if (given === undefined) return bad('Invalid flow bundle')
  const { source } = given
  const parsed =
    typeof source === 'string' && Object.keys(given).length === 1 ? parseBundle(source) : ok<unknown>(given)
  if (!parsed.ok) return parsed
  const bundle = checkBundle(parsed.value)
  if (!bundle.ok) return bundle
  const visibility = visibilityOf(deps, caller, vault_id)
  if (!visibility.ok) return visibility
  const { vault, scopes } = visibility.value
  const { flow, steps } = bundle.value
  const allowed = mayImport(caller, flow.scope, scopes)
  if (!allowed.ok) return allowed
  if (vault === undefined) return refuse('unknown_flow', { flow_id: flow.flow_id })
  const permitted = checkAutomatable(bundle.value, await policyInForce(deps))
  if (!permitted.ok) return permitted
  const id = headId(vault, flow.flow_id)
  const head = await deps.tables.row('flows', id)
  const before = head?.row.is === 'head' ? head.row.flow : undefined
  // A caller who cannot see a flow cannot replace it, and learns only that the name is taken.
  if (before !== undefined && !sees(visibility.value, { vault_id: vault, scope: before.scope }))
    return refuse('FLOW_LINEAGE_CONFLICT', { flow_id: flow.flow_id })
  const lineage = checkLineage(bundle.value, before?.version)
  if (!lineage.ok) return lineage
  const now = deps.clock()
  const kept: Flow = { ...flow, updated: isoOf(now), truncated: false }
  const recorded = await deps.ledger.commit([
    swapFlow(
      { v: 1, is: 'version', vault_id: vault, flow: kept, steps },
      versionId(vault, flow.flow_id, flow.version),
      'absent',
    ),
    swapFlow({ v: 1, is: 'head', vault_id: vault, flow: kept }, id, head?.version ?? 'absent'),
    {
      kind: 'audit',
      entry: {
        at: now,
        type: 'flow.imported',
        actor: caller.id,
        trace: deps.ids.trace(),
        subject: { flow: `${flow.flow_id}@${flow.version}` },
        about: { vault, scope: flow.scope, steps: steps.length, role: flowRoleOf(caller) },
      },
    },
  ])
  if (isUnrecorded(recorded)) return refuseUnrecorded(recorded)
  if (recorded !== 'committed') return refuse('FLOW_LINEAGE_CONFLICT', { flow_id: flow.flow_id, version: flow.version })
  return ok({ schema: FLOW_SCHEMAS.flow, vault_id: vault, flow: kept, steps })
}

export type FlowsAnswer = {
  readonly schema: string
  readonly vault_id: string
  readonly flows: readonly Flow[]
  readonly next_cursor?: string
}
export type FlowsAsked = { readonly vault_id?: string; readonly limit: number; readonly after?: number }

/** The newest version of each flow that the caller may see. */
export async function listFlows(deps: FlowPorts, caller: Caller, asked: FlowsAsked): Promise<Result<FlowsAnswer>> {
  const visibility = visibilityOf(deps, caller, asked.vault_id)
  if (!visibility.ok) return visibility
  const page = { limit: asked.limit, ...(asked.after === undefined ? {} : { cursor: asked.after }) }
  const { items, next } = await listMerged(deps, visibility.value, page, (vault, scope) => ({
    shelf: flowListing(vault, scope),
  }))
  return ok({
    schema: FLOW_SCHEMAS.flow,
    vault_id: visibility.value.vault ?? asked.vault_id ?? '',
    flows: items.flatMap(({ row }) => (row.is === 'head' ? [row.flow] : [])),
    ...(next === undefined ? {} : { next_cursor: String(next) }),
  })
}

/** One version of a flow with its steps; the newest by default. */
export async function readFlow(
  deps: FlowPorts,
  caller: Caller,
  asked: { readonly flow_id: string; readonly version?: string; readonly vault_id?: string },
): Promise<Result<FlowAnswer>> {
  const { flow_id } = asked
  const visibility = visibilityOf(deps, caller, asked.vault_id)
  if (!visibility.ok) return visibility
  const { vault } = visibility.value
  const head = vault === undefined ? undefined : await deps.tables.row('flows', headId(vault, flow_id))
  if (vault === undefined || head?.row.is !== 'head') return refuse('unknown_flow', { flow_id })
  const found = await versionRow(deps, vault, flow_id, asked.version ?? head.row.flow.version)
  const isVisible =
    found !== undefined &&
    [head.row.flow.scope, found.flow.scope].every((scope) => sees(visibility.value, { vault_id: vault, scope }))
  if (!isVisible || found === undefined) return refuse('unknown_flow', { flow_id })
  return ok({ schema: FLOW_SCHEMAS.flow, vault_id: vault, flow: found.flow, steps: found.steps })
}

type FlowBundle = { readonly flow: Flow; readonly steps: readonly FlowStep[]; readonly base_version?: string }

const Bundle = z.strictObject({
  flow: Flow,
  steps: z.array(FlowStep).min(1),
  /** The version that this one is based on; absent for a new flow. */
  base_version: FlowVersion.nullish(),
})

const LONGEST_FAULTS = 500

/** YAML, which includes JSON. Duplicate keys, aliases and tags are rejected. */
function parseBundle(text: string): Result<unknown> {
  const document = parseDocument(text, { uniqueKeys: true, version: '1.2', schema: 'core' })
  const [fault] = [...document.errors, ...document.warnings]
  if (fault !== undefined) return bad(`Invalid flow bundle: ${fault.message.split('\n')[0] ?? ''}`)
  try {
    return ok(document.toJS({ maxAliasCount: 0 }))
  } catch {
    return bad('Invalid flow bundle: aliases are not supported')
  }
}

/** Every check that needs only the bundle. A bundle with a fault is not imported at all. */
function checkBundle(value: unknown): Result<FlowBundle> {
  const ids = z.object({ flow: z.object({ flow_id: z.unknown(), version: z.unknown() }) }).safeParse(value)
  if (ids.success && !FlowId.safeParse(ids.data.flow.flow_id).success) return bad('Invalid flow id')
  if (ids.success && !FlowVersion.safeParse(ids.data.flow.version).success) return bad('Invalid flow version')
  const read = Bundle.safeParse(value)
  if (!read.success) {
    const faults = issueLines(read.error.issues, 'the bundle')
    return bad(`Invalid flow bundle: ${faults.join('; ').slice(0, LONGEST_FAULTS)}`)
  }
  const { flow, steps, base_version } = read.data
  const fault = faultIn(flow, steps)
  if (fault !== undefined) return bad(`Invalid flow bundle: ${fault}`)
  return ok({ flow, steps, ...(base_version === undefined || base_version === null ? {} : { base_version }) })
}

function faultIn(flow: Flow, steps: readonly FlowStep[]): string | undefined {
  if (flow.steps.length !== steps.length) return 'flow.steps and steps name different steps'
  for (const [at, step] of steps.entries()) {
    if (step.flow_id !== flow.flow_id) return `${step.step_id} belongs to another flow`
    if (step.ordinal !== at + 1) return `${step.step_id} has the ordinal ${step.ordinal}, expected ${at + 1}`
    if (step.step_id !== `${flow.flow_id}#${step.ordinal}`) return `${step.step_id} does not match its ordinal`
    if (flow.steps[at] !== step.step_id) return `flow.steps does not list ${step.step_id} at place ${at + 1}`
  }
  return undefined
}

/** A first version has no base; an edit names the newest version as its base and is greater than it. */
function checkLineage({ flow, base_version }: FlowBundle, newest: string | undefined): Result<void> {
  const isNext = newest === undefined ? base_version === undefined : isEdit(flow.version, base_version, newest)
  if (isNext) return ok(undefined)
  return refuse('FLOW_LINEAGE_CONFLICT', {
    flow_id: flow.flow_id,
    version: flow.version,
    base: base_version ?? 'none',
    newest: newest ?? 'none',
  })
}

const isEdit = (version: string, base: string | undefined, newest: string): boolean =>
  base === newest && compareVersions(version, newest) > 0

function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number))
  return (a ?? []).map((part, at) => part - (b?.[at] ?? 0)).find((difference) => difference !== 0) ?? 0
}

/** If the policy forbids automatable steps, a bundle that has some is rejected, and the steps are named. */
function checkAutomatable({ steps }: FlowBundle, policy: FlowPolicy | undefined): Result<void> {
  if (policy === undefined)
    return refuse('FLOW_EXECUTION_POLICY_FORBIDDEN', { because: 'the policy file cannot be read' })
  if (!policy.forbidden && !policy.automatable_forbidden) return ok(undefined)
  const denied = steps.filter(({ automatable }) => automatable !== 'manual').map(({ step_id }) => step_id)
  return denied.length === 0 ? ok(undefined) : refuse('FLOW_IMPORT_AUTOMATABLE_DENIED', { steps: denied.join(', ') })
}
