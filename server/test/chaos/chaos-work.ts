import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { listCalls } from '../../src/guests/activity/endpoints.ts'
import { applyDocument } from '../../src/guests/workflows/apply-document.ts'
import type { Outcome } from '../../src/kernel/contract/call.ts'
import { inProcessTransport } from '../../src/guests/workflows/in-process-transport.ts'
import { ADMIN, APPROVER, openTestGate, type GateRig } from '../helpers/with-gate.ts'
import { clerk, FILE } from '../../src/guests/workflows/test/clerk.suite.ts'
import type { ClientRecord } from './history.ts'
import { LOGGED_POLICY, loggedServer, logIn } from './logged-tools.ts'

export type WorkPlace = { readonly folder: string; readonly store?: object }
type GateExtras = Pick<NonNullable<Parameters<typeof openTestGate>[1]>, 'probe' | 'around'>

/** Direct and held calls, a loop, an idempotent call and a message, as steps of one run. */
const DOCUMENT = clerk(`
- type: tool
  tool: log__add
  argsTemplate: { text: "run first" }
- type: for_each
  itemsExpr: input.titles
  steps:
    - type: tool
      tool: log__add
      argsTemplate: { text: "run item {{item}}" }
- type: tool
  tool: log__ask_add
  argsTemplate: { text: "run approve" }
- type: tool
  tool: log__add_again
  argsTemplate: { text: "run again" }
- type: send_message
  targetAlias: boss
  payloadTemplate: "done {{input.run_id}}"
`)
  .replaceAll('mcp: book', 'mcp: log')
  .replace('tool: note', 'tool: ask_add')

const MESSAGE = { agent: 'clerk', room: '!office:test', sender: '@boss:test', id: 'one' }

export type Work = GateRig & { say(): Promise<string> }

export async function openWork({ folder, store }: WorkPlace, extras: GateExtras = {}): Promise<Work> {
  const transport = inProcessTransport()
  const rules = [
    ...LOGGED_POLICY.rules,
    { id: 'messages', effect: 'allow', match: { server: 'messages' }, says: 'harmless' },
  ]
  const rig = await openTestGate(folder, {
    policy: JSON.stringify({ rules }),
    config: { servers: { log: loggedServer(logIn(folder)) }, ...(store === undefined ? {} : { store }) },
    transports: [transport],
    ...extras,
  })
  return {
    ...rig,
    async say() {
      const until = performance.now() + QUIET_MS
      for (;;) {
        const taken = await transport.say({ ...MESSAGE, text: FILE({ run_id: 1, titles: ['a', 'b'] }) })
        const [first] = taken === 'later' ? [] : taken
        if (first?.is === 'started') return first.run_id
        // A message that could not be taken now is sent again, as a room does.
        if (taken !== 'later' || performance.now() > until) throw new Error(JSON.stringify(taken))
        await sleep(100)
      }
    },
  }
}

/** The answer that a client got is written to the file before anything else happens. */
export const recordTo = (file: string) => (records: ClientRecord) =>
  appendFileSync(file, `${JSON.stringify(records)}\n`)

export function recordsOf(outcome: Outcome, key?: string): readonly ClientRecord[] {
  if (outcome.status === 'previewed') return []
  const { call_id } = outcome
  const about = outcome.status === 'refused' ? outcome.problem.about : {}
  const id = call_id ?? about['call_id']
  if (id === undefined) return []
  const more = { ...(key === undefined ? {} : { key }), ...(about['sent'] === 'no' ? { not_sent: true } : {}) }
  return [{ is: 'call', call_id: id, status: outcome.status, ...more }]
}

/** Decides about everything that is pending, as its text says. */
export async function decideAll(
  { gate }: Pick<GateRig, 'gate'>,
  record: (records: ClientRecord) => void,
): Promise<number> {
  const { items } = await gate.approvals.list(APPROVER, 'pending', { limit: 50 })
  for (const { approval_id } of items) {
    const packet = await gate.approvals.read(APPROVER, approval_id)
    if (!packet.ok) continue
    const { digest, proposed_args } = packet.value
    const says = proposed_args.includes('deny') ? 'deny' : 'approve'
    record({ is: 'decision', approval_id, says, digest, acknowledged: false })
    const decided = await gate.approvals.decide(APPROVER, approval_id, { says, digest })
    if (decided.ok) record({ is: 'decision', approval_id, says, digest, acknowledged: true })
  }
  return items.length
}

/** Arguments of the calls that a client makes, each with its own idempotency key. */
const CALLS: readonly (readonly [tool: string, args: { readonly text: string; readonly does?: string }])[] = [
  ['log__add', { text: 'direct' }],
  ['log__add_again', { text: 'again' }],
  ['log__look', { text: 'look' }],
  ['log__add', { text: 'fails', does: 'fail' }],
  ['log__ask_add', { text: 'approve' }],
  ['log__ask_add', { text: 'deny' }],
]

/** On a busy machine a lease, a restart and a few commits take a while. */
const QUIET_MS = 120_000

type Settle = (call_id: string) => 'retry' | 'done' | 'failed'

/**
 * Every kind of call once, then a run with all kinds of steps, until nothing is open. A client whose gate died repeats all of it
 * with the same keys.
 */
export async function doWork(
  work: Work,
  record: (records: ClientRecord) => void,
  settleAs: Settle = () => 'done',
): Promise<void> {
  const records = (outcome: Outcome, key?: string) => {
    for (const one of recordsOf(outcome, key)) record(one)
    return outcome
  }
  const outcomes: Outcome[] = []
  for (const [tool, args] of CALLS) {
    const key = `k-${args.text}`
    outcomes.push(records(await work.call(tool, args, { idempotency_key: key }), key))
  }
  await decideAll(work, record)
  for (const outcome of outcomes) if (outcome.status === 'pending') records(await work.outcome(outcome.call_id))
  const applied = await applyDocument(work.ports, ADMIN, DOCUMENT)
  if (!applied.ok) throw new Error(JSON.stringify(applied.problem))
  const run_id = await work.say()
  record({ is: 'run', run_id })
  await finish(work, record, settleAs)
}

/** Decides and settles what is open until nothing is, or for two minutes. */
async function finish(work: Work, record: (records: ClientRecord) => void, settleAs: Settle): Promise<void> {
  const until = performance.now() + QUIET_MS
  while ((await openThings(work, record, settleAs)) > 0) {
    if (performance.now() > until) return
    await sleep(30)
  }
}

async function openThings(work: Work, record: (records: ClientRecord) => void, settleAs: Settle): Promise<number> {
  const { gate } = work
  const decided = await decideAll(work, record)
  const unknown = await gate.calls.listUnknown(APPROVER, { limit: 50 })
  const unsettled = unknown.ok ? unknown.value.items : []
  for (const { call_id } of unsettled) {
    const as = settleAs(call_id)
    const settled = await gate.calls.settle(APPROVER, call_id, as)
    if (settled.ok) record({ is: 'settlement', call_id, as, acknowledged: true })
  }
  const { items } = await listCalls(gate.ports, ADMIN, {}, { limit: 200 })
  const open = items.filter(({ state }) => state === 'executing' || state === 'pending' || state === 'unknown')
  const runs = await gate.runs.list(ADMIN, {}, { limit: 200 })
  const going = runs.items.filter(
    ({ status, kind }) => status === 'active' || (status === 'waiting' && kind === 'workflow'),
  )
  return decided + unsettled.length + open.length + going.length
}
