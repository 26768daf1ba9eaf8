import { writeSync } from 'node:fs'
import { PROBE_POINTS, type ProbePoint } from '../../src/kernel/ports/runtime.ts'
import { APPROVER, openTestGate, orderRetry, pendingOf, approveShown, until } from '../helpers/with-gate.ts'
import { stateOf, theCall } from './call-in-audit.ts'
import { CRASH_POLICY } from './crash-policy.ts'

/** A gate that is killed by SIGKILL when it reaches a named point of one scenario. */
const [folder = '', scenario = '', target = ''] = process.argv.slice(2)
if (!PROBE_POINTS.includes(target as ProbePoint)) throw new Error(`there is no point ${target}`)
let armed = false
const say = (line: string) => writeSync(1, `${line}\n`)
const rig = await openTestGate(folder, {
  policy: CRASH_POLICY,
  probe(point) {
    if (!armed || point !== target) return
    say(`died at ${point}`)
    process.kill(process.pid, 'SIGKILL')
  },
})

const text = 'x'
const CALLS: Readonly<Record<string, [tool: string, args: { readonly [name: string]: string }]>> = {
  direct: ['book__slow_note', { text }],
  idempotent: ['book__note_again', { text }],
  held: ['book__note', { text }],
  reading: ['book__echo', { text }],
  'reading held': ['book__picture', {}],
  'verified direct': ['book__keep_note', { title: 'direct', text }],
  'verified held': ['book__keep_note', { title: 'held', text }],
}
const [tool, args] = CALLS[scenario] ?? ['', {}]
const isHeld = scenario.endsWith('held')
if (scenario === 'retry') {
  // In a folder where another gate was killed after the tool had run the call.
  const call_id = (await theCall(rig)) ?? ''
  await until(async () => (await stateOf(rig, call_id)) === 'unknown')
  const request = await orderRetry(rig.gate, APPROVER, call_id)
  armed = true
  await approveShown(rig.gate, APPROVER, request)
  say(`survived ${(await rig.outcome(call_id)).status}`)
} else if (!isHeld) {
  armed = true
  const outcome = await rig.call(tool, args)
  say(`survived ${outcome.status}`)
} else {
  const held = pendingOf(await rig.call(tool, args))
  say(`held ${held.call_id} ${held.approval_id}`)
  armed = true
  await approveShown(rig.gate, APPROVER, held.approval_id)
  say(`survived ${(await rig.outcome(held.call_id)).status}`)
}
await rig.opened.close()
process.exit(0)
