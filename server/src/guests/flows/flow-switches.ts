import { specOf, type Result } from '../../kernel/contract/problems.ts'
import { passGates } from './flow-policy.ts'
import { policyInForce, type FlowPorts } from './flow-access.ts'

/** Whether something is on; if not, why, and what an operator can do about it. */
export type FlowSwitch = { readonly on: boolean; readonly code?: string; readonly says?: string; readonly do?: string }

/** `runs`: whether runs can be started and advanced. `execution`: whether agents can execute automatable steps. */
export type FlowSwitches = { readonly runs: FlowSwitch; readonly execution: FlowSwitch }

export async function flowSwitches(deps: Pick<FlowPorts, 'flowPolicy'>): Promise<FlowSwitches> {
  const policy = await policyInForce(deps)
  return { runs: switchOf(passGates(policy, 'writes')), execution: switchOf(passGates(policy, 'execution')) }
}

function switchOf(passed: Result<unknown>): FlowSwitch {
  if (passed.ok) return { on: true }
  const { says, do: remedy } = specOf(passed.problem)
  return { on: false, code: passed.problem.code, says, do: remedy }
}
