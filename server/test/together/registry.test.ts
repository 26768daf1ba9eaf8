import { describe, expect, test } from 'vitest'
import { performersOf, type PerformerPorts } from '../../src/kernel/runs/performer.ts'
import type { Json } from '../../src/kernel/contract/json.ts'
import type { RunEvent, RunKind } from '../../src/kernel/contract/run.ts'
import { AgentSettings } from '../../src/guests/agent/agent.ts'
import { startThread } from '../../src/guests/agent/state.ts'
import { handOver } from '../../src/kernel/approvals/delegation.ts'
import { newDelivery } from '../../src/kernel/approvals/delivery.ts'
import { holdCall } from '../../src/kernel/attempt/held-call.ts'
import { newHubReport } from '../../src/guests/hub/hub-report.ts'
import { runKindNames } from '../../src/kernel/registries.ts'
import { GUESTS } from '../../src/main/guests.ts'
import { RUN_KINDS } from '../run-kinds.ts'
import { FlowStep } from '../../src/guests/flows/flows.ts'
import { newExecution } from '../../src/guests/flows/execution-state.ts'
import { startToolflow } from '../../src/guests/toolflow/state.ts'
import { newSchedules } from '../../src/guests/workflows/schedules.ts'
import { startWorkflow } from '../../src/guests/workflows/state.ts'

const performers = performersOf(RUN_KINDS, {} as PerformerPorts)

const CALL = {
  call_id: 'call_000000000000000000000000',
  caller: { kind: 'agent', id: 'agent:a', user: 'ana' },
} as const

/** A state of each kind in which it can be cancelled. */
const OPEN: Readonly<Record<string, Json>> = {
  'held-call': holdCall(CALL, 'auth_0000000000000000', 1_000).state,
  delegation: handOver({ from: 'a', to: 'b', until: 1_000, by: 'approver:a', reason: null, trace: 't' }).state,
  delivery: newDelivery({
    delivery_id: 'd',
    channel: 'c',
    event: 'approval.pending',
    call_id: 'call_000000000000000000000000',
    approval_id: null,
    at: 0,
  }).state,
  'hub-report': newHubReport({
    what: 'request',
    nonce: '0'.repeat(32),
    call_id: 'call_000000000000000000000000',
    approval_id: 'auth_0000000000000000',
    at: 0,
    until: 1_000,
  }).state,
  'flow-execution': newExecution({
    execution_id: 'fexec_000000000000000000000000',
    flow_run_id: 'run_0000000000000000',
    consent_id: 'fcons_000000000000000000000000',
    step: FlowStep.parse({
      step_id: 'flow_x#1',
      flow_id: 'flow_x',
      ordinal: 1,
      owned_job: 'x',
      instruction: 'x',
      verification: { kind: 'artifact_exists', evidence_required: true },
      automatable: 'automatable',
    }),
    lane: 'local_default',
    caller: {},
    trace: 't',
    tools: ['book__look'],
    prompt_ids: [],
  }),
  toolflow: startToolflow({
    run_id: 'run_0000000000000000',
    caller: { kind: 'user', id: 'user:a', user: 'a' },
    trace: 't',
    asked_hash: 'h',
    body: { user_prompt: 'p', top_k: 5 },
    limits: { close_within: 0.1, floor: 0.5 },
  }),
  agent: startThread({
    run_id: 'run_0000000000000000',
    thread_id: 'thread_00000000-0000-4000-8000-000000000000',
    user_id: 'a',
    caller: { kind: 'user', id: 'user:a', user: 'a' },
    trace: 't',
    settings: AgentSettings.parse({}),
    do_not_store: false,
  }),
  workflow: startWorkflow({
    run_id: 'run_0000000000000000',
    document: 'clerk',
    version: 1,
    caller: { kind: 'agent', id: 'agent:workflow/clerk', user: 'a' },
    thread: 't',
    trace: 't',
    protocol: { id: 'p', trigger: { type: 'gateway.event', prefix: '' }, steps: [{ type: 'plan', prompt: 'x' }] },
    targets: {},
    reads: [],
    place: null,
    hold_s: null,
    trigger: { type: 'manual', sender: null, room: null, source: null, message: '' },
    input: {},
    started_at: 0,
  }),
  'workflow-schedules': newSchedules({ document: 'clerk', version: 1, gateways: ['tick'], since: 0 }).state,
}
const CANCEL: RunEvent = { type: 'run.cancel', by: 'user:a', reason: 'no longer wanted' }

test('the names of the kinds are those of the registry', () => {
  expect([...RUN_KINDS.keys()]).toEqual(runKindNames(GUESTS))
})

describe.each([...RUN_KINDS.values()])('the kind of run `$kind`', (kind: RunKind) => {
  test('has a performer for each of its effects, and says whether the effect may be repeated', () => {
    const effects = Object.entries(kind.effects)
    // A delegation only waits for its end.
    expect(effects.length > 0 || kind.kind === 'delegation').toBe(true)
    for (const [effect, repeat] of effects) {
      expect([effect, typeof performers.get(effect)]).toEqual([effect, 'function'])
      expect(['repeatable', 'guarded', 'once']).toContain(repeat)
    }
  })

  test('ends when it is cancelled, or does something about it', () => {
    const state = OPEN[kind.kind]
    if (state === undefined) throw new Error(`add an open state of \`${kind.kind}\` to this test`)
    const step = kind.step(state, CANCEL)
    expect(step.ends === 'cancelled' || step.effects.length > 0 || (step.cancel ?? []).length > 0).toBe(true)
    // The same request again does nothing more.
    if (step.ends === undefined) expect(kind.step(step.state, CANCEL)).toMatchObject({ effects: [] })
  })
})

test('there is no performer for an effect that no kind requests', () => {
  const asked = new Set([...RUN_KINDS.values()].flatMap(({ effects }) => Object.keys(effects)))
  expect([...performers.keys()].filter((effect) => !asked.has(effect))).toEqual([])
})
