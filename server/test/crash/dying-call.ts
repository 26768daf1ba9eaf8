import { APPROVER, openTestGate, orderRetry, pendingOf, approveShown, until } from '../helpers/with-gate.ts'
import { stateOf, theCall } from './call-in-audit.ts'
import { CRASH_POLICY } from './crash-policy.ts'
import type { Scenario } from './dying.ts'

type OneCall = 'direct' | 'idempotent' | 'held' | 'reading' | 'reading held' | 'verified direct' | 'verified held'

const text = 'x'
const CALLS: Readonly<Record<OneCall, readonly [tool: string, args: { readonly [name: string]: string }]>> = {
  direct: ['book__slow_note', { text }],
  idempotent: ['book__note_again', { text }],
  held: ['book__note', { text }],
  reading: ['book__echo', { text }],
  'reading held': ['book__picture', {}],
  'verified direct': ['book__keep_note', { title: 'direct', text }],
  'verified held': ['book__keep_note', { title: 'held', text }],
}

/** `retry` is for a folder where another gate was killed after the tool had run the call. */
export type CallScenario = OneCall | 'retry'
export type DyingCall = { readonly folder: string; readonly scenario: CallScenario }

/** One call, until its outcome. */
export const live: Scenario<DyingCall> = async ({ folder, scenario }, { reach, arm }) => {
  const rig = await openTestGate(folder, { policy: CRASH_POLICY, probe: reach })
  if (scenario === 'retry') {
    const call_id = (await theCall(rig)) ?? ''
    await until(async () => (await stateOf(rig, call_id)) === 'unknown')
    const request = await orderRetry(rig.gate, APPROVER, call_id)
    arm()
    await approveShown(rig.gate, APPROVER, request)
    await rig.outcome(call_id)
  } else if (scenario.endsWith('held')) {
    const held = pendingOf(await rig.call(...CALLS[scenario]))
    arm()
    await approveShown(rig.gate, APPROVER, held.approval_id)
    await rig.outcome(held.call_id)
  } else {
    arm()
    await rig.call(...CALLS[scenario])
  }
  await rig.opened.close()
}
