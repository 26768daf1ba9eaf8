import { issueLines } from '../../kernel/contract/issue-lines.ts'
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { Flow, FlowId, FlowStep, FlowVersion } from './flows.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { bad } from './bad-request.ts'
import type { FlowPolicy } from './flow-policy.ts'

export type FlowBundle = { readonly flow: Flow; readonly steps: readonly FlowStep[]; readonly base_version?: string }

const Bundle = z.strictObject({
  flow: Flow,
  steps: z.array(FlowStep).min(1),
  /** The version that this one is based on; absent for a new flow. */
  base_version: FlowVersion.nullish(),
})

const LONGEST_FAULTS = 500

/** YAML, which includes JSON. Duplicate keys, aliases and tags are rejected. */
export function parseBundle(text: string): Result<unknown> {
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
export function checkBundle(value: unknown): Result<FlowBundle> {
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
export function checkLineage({ flow, base_version }: FlowBundle, newest: string | undefined): Result<void> {
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

export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number))
  return (a ?? []).map((part, at) => part - (b?.[at] ?? 0)).find((difference) => difference !== 0) ?? 0
}

/** If the policy forbids automatable steps, a bundle that has some is rejected, and the steps are named. */
export function checkAutomatable({ steps }: FlowBundle, policy: FlowPolicy | undefined): Result<void> {
  if (policy === undefined)
    return refuse('FLOW_EXECUTION_POLICY_FORBIDDEN', { because: 'the policy file cannot be read' })
  if (!policy.forbidden && !policy.automatable_forbidden) return ok(undefined)
  const denied = steps.filter(({ automatable }) => automatable !== 'manual').map(({ step_id }) => step_id)
  return denied.length === 0 ? ok(undefined) : refuse('FLOW_IMPORT_AUTOMATABLE_DENIED', { steps: denied.join(', ') })
}
