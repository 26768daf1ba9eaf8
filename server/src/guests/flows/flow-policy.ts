import { z } from 'zod'
import { DEFAULT_LANE } from '../../kernel/contract/models.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { refuse } from './problems.ts'

/** The file as found: its text, that it does not exist, or that it could not be read. */
export type FlowPolicyFile = { readonly text: string } | 'absent' | 'unreadable'

/** The three switches in the environment, as set there. */
export type FlowEnv = {
  readonly run_writes?: string | undefined
  readonly automatable?: string | undefined
  readonly forbidden?: string | undefined
}

export type FlowPolicy = {
  readonly run_writes: boolean
  readonly automatable: boolean
  readonly forbidden: boolean
  readonly automatable_forbidden: boolean
  readonly allowed_lanes: readonly string[]
  readonly default_cost_cap_units: number
  readonly max_cost_cap_units: number
  readonly default_ttl_seconds: number
  readonly max_ttl_seconds: number
}

const LONGEST_TTL_S = 86_400
const Lane = z.string().trim().min(1).max(64)
const Units = z.int().positive().max(1_000_000_000)

const Document = z.strictObject({
  flow_run_writes_enabled: z.boolean().optional(),
  execution: z
    .strictObject({
      automatable_enabled: z.boolean().optional(),
      forbidden: z.boolean().optional(),
      automatable_forbidden: z.boolean().optional(),
      allowed_lanes: z.array(Lane).max(64).optional(),
      default_cost_cap_units: Units.optional(),
      max_cost_cap_units: Units.optional(),
      default_ttl_seconds: z.int().optional(),
      max_ttl_seconds: z.int().optional(),
    })
    .optional(),
})

/** Undefined if the file cannot be read: then everything that is gated is rejected. */
export function flowPolicyOf(file: FlowPolicyFile, env: FlowEnv): FlowPolicy | undefined {
  const read = file === 'absent' ? {} : file === 'unreadable' ? undefined : documentIn(file.text)
  if (read === undefined) return undefined
  const { flow_run_writes_enabled, execution = {} } = read
  const max_ttl_seconds = within(execution.max_ttl_seconds ?? LONGEST_TTL_S, 1, LONGEST_TTL_S)
  const max_cost_cap_units = execution.max_cost_cap_units ?? 1_000
  return {
    run_writes: switchOf(env.run_writes) ?? flow_run_writes_enabled ?? false,
    automatable: switchOf(env.automatable) ?? execution.automatable_enabled ?? false,
    // The environment can forbid. It cannot permit what the file forbids.
    forbidden: switchOf(env.forbidden) === true || execution.forbidden === true,
    automatable_forbidden: execution.automatable_forbidden ?? false,
    allowed_lanes: [...new Set(execution.allowed_lanes ?? [DEFAULT_LANE])],
    default_cost_cap_units: Math.min(execution.default_cost_cap_units ?? 100, max_cost_cap_units),
    max_cost_cap_units,
    default_ttl_seconds: within(execution.default_ttl_seconds ?? 3_600, 1, max_ttl_seconds),
    max_ttl_seconds,
  }
}

/** `1|true`, `0|false`; anything else is not set. */
function switchOf(value: string | undefined): boolean | undefined {
  if (value === '1' || value === 'true') return true
  return value === '0' || value === 'false' ? false : undefined
}

function documentIn(text: string): z.infer<typeof Document> | undefined {
  try {
    return Document.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

export const within = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)

/** Which switches an action needs: none for reading, `execution` for minting and executing, `writes` for all others. */
export type Gated = 'writes' | 'execution'

/** Checks the switches in order and returns the policy, or why the action is rejected. */
export function passGates(policy: FlowPolicy | undefined, gated: Gated): Result<FlowPolicy> {
  if (policy === undefined)
    return refuse('FLOW_EXECUTION_POLICY_FORBIDDEN', { because: 'the policy file cannot be read' })
  if (policy.forbidden) return refuse('FLOW_EXECUTION_POLICY_FORBIDDEN', { because: 'the policy forbids everything' })
  if (gated === 'execution' && policy.automatable_forbidden)
    return refuse('FLOW_EXECUTION_POLICY_FORBIDDEN', { because: 'the policy forbids automatable steps' })
  if (gated === 'execution' && !policy.automatable) return refuse('FLOW_AUTOMATABLE_EXECUTION_DISABLED')
  return policy.run_writes ? ok(policy) : refuse('FLOW_RUN_WRITES_DISABLED')
}

/** The current flow switches. Read for every request, so that an operator's change applies immediately. */
export interface FlowPolicySource {
  readonly env: FlowEnv
  file(): Promise<FlowPolicyFile>
}
