import { ADMIN, type GateRig } from '../helpers/with-gate.ts'

/** The one call of a scenario, from the audit: whatever was recorded of it before the crash. */
export async function theCall(rig: GateRig): Promise<string | undefined> {
  const entries = await rig.gate.audit.page(undefined, 1, 1000)
  return entries.find(({ subject }) => subject['call'] !== undefined && !subject['tool']?.endsWith('look'))?.subject[
    'call'
  ]
}

export async function stateOf(rig: GateRig, call_id: string): Promise<string> {
  const read = await rig.gate.calls.read(ADMIN, call_id)
  return read.ok ? read.value.status : read.problem.code
}
