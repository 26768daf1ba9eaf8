import { z } from 'zod'
import type { GuestFeatures } from '../../adapters/http/endpoint.ts'
import { specOf, type Result } from '../../kernel/contract/problems.ts'
import { passGates } from './flow-policy.ts'
import { policyInForce, type FlowPorts } from './flow-access.ts'

const FlowSwitch = z.object({
  on: z.boolean(),
  /** Why it is off, and what an operator can do about it. */
  code: z.string().optional(),
  says: z.string().optional(),
  do: z.string().optional(),
})
type FlowSwitch = z.infer<typeof FlowSwitch>

const FlowSwitches = z.object({
  /** Whether runs can be started and advanced. */
  runs: FlowSwitch,
  /** Whether agents can execute automatable steps. */
  execution: FlowSwitch,
})
export type FlowSwitches = z.infer<typeof FlowSwitches>

export const features: GuestFeatures = {
  fields: { flows: FlowSwitches },
  read: async (ports) => ({ flows: await flowSwitches(ports) }),
}

export async function flowSwitches(deps: Pick<FlowPorts, 'flowPolicy'>): Promise<FlowSwitches> {
  const policy = await policyInForce(deps)
  return { runs: switchOf(passGates(policy, 'writes')), execution: switchOf(passGates(policy, 'execution')) }
}

function switchOf(passed: Result<unknown>): FlowSwitch {
  if (passed.ok) return { on: true }
  const { says, do: remedy } = specOf(passed.problem)
  return { on: false, code: passed.problem.code, says, do: remedy }
}
