import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listCalls } from '../../activity/endpoints.ts'
import { getFlowRun, readChecklist } from '../read-flow-runs.ts'
import { abandonFlowRun } from '../abandon-flow-run.ts'
import { submitFlowReview } from '../submit-flow-review.ts'
import { executeFlowStep } from '../execute-flow-step.ts'
import { mintFlowConsent } from '../mint-flow-consent.ts'
import { addFlowEvidence } from '../add-flow-evidence.ts'
import { advanceFlowRun } from '../advance-flow-run.ts'
import { startFlowRun } from '../start-flow-run.ts'
import { importFlow } from '../import-flow.ts'
import { ACCESS } from '../../../../../scripts/app-without-gate.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import type { JsonObject } from '../../../kernel/contract/json.ts'
import type { Result } from '../../../kernel/contract/problems.ts'
import { openTestGate, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { bundleOf, FLOW_CONFIG, OWNER, PACK, prepareFlows } from './flow-samples.suite.ts'

/** Who may change a flow run that somebody else can see. Every route that changes one is in this table. */
const folder = mkdtempSync(join(tmpdir(), 'sluice-flow-changes-'))
let rig: GateRig
beforeAll(async () => {
  prepareFlows(folder, join(folder, 'data'))
  rig = await openTestGate(folder, { config: FLOW_CONFIG })
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

type Who = Omit<Caller, 'id'> & { readonly name?: string }
const caller = ({ name, ...who }: Who): Caller => ({ ...who, id: `${who.kind}:${name ?? who.user}` })
const ANA = caller({ kind: 'user', user: 'ana' })
const HER_AGENT = caller({ kind: 'agent', user: 'ana', name: 'a' })

/** A run of each scope that ana's agent started: the first step is its work, the second is for people. */
type Scope = 'personal' | 'project' | 'org'
let count = 0
async function runOf(scope: Scope) {
  const flow_id = `flow_w${(count += 1)}`
  const auto = { automatable: 'automatable', skills: [PACK], kind: 'test_pass', job: 'look' } as const
  valueOf(await importFlow(rig.ports, OWNER, bundleOf(flow_id, [auto, auto, {}], { scope })))
  const starter: Caller = { ...HER_AGENT, flow_role: 'admin' }
  const { run } = valueOf(await startFlowRun(rig.ports, starter, { flow_id }))
  return { flow_id, run_id: run.run_id }
}
type Run = Awaited<ReturnType<typeof runOf>>
const LANE = { allowed_lanes: ['local_default'], cost_cap_units: 9 }
const callIn = async (by: Caller, thread: string): Promise<string> => {
  const called = await rig.call('book__look', {}, { caller: by, thread })
  return 'call_id' in called ? called.call_id : ''
}

/** The routes that change a run, and a request that is right except for who sends it. */
const CHANGES: Readonly<Record<string, (by: Caller, run: Run) => Promise<Result<unknown>>>> = {
  'POST /api/v1/flows/runs/{run_id}/advance': (by, { run_id, flow_id }) =>
    advanceFlowRun(rig.ports, by, { run_id, step_id: `${flow_id}#1`, status: 'in_progress' }),
  'POST /api/v1/flows/runs/{run_id}/evidence': async (by, { run_id, flow_id }) =>
    addFlowEvidence(rig.ports, by, {
      run_id,
      step_id: `${flow_id}#1`,
      pointer_kind: 'test_result',
      evidence_ref: await callIn(by, run_id),
    }),
  'POST /api/v1/flows/runs/{run_id}/consents': (by, { run_id }) => mintFlowConsent(rig.ports, by, { run_id, ...LANE }),
  'POST /api/v1/flows/runs/{run_id}/execute': async (by, { run_id, flow_id }) => {
    // Minted by a person of the same user while they had a flow role.
    const person: Caller = { kind: 'user', id: `user:${by.user}`, user: by.user, flow_role: 'admin' }
    const { consent_id } = valueOf(await mintFlowConsent(rig.ports, person, { run_id, ...LANE })).consent
    return executeFlowStep(rig.ports, by, { run_id, step_id: `${flow_id}#1`, consent_id })
  },
  'POST /api/v1/flows/runs/{run_id}/review': (by, { run_id }) =>
    submitFlowReview(rig.ports, by, { run_id, intent: 'keep it' }),
  'POST /api/v1/flows/runs/{run_id}/abandon': (by, { run_id }) =>
    abandonFlowRun(rig.ports, by, { run_id, reason: 'over' }),
}
/** Routes that change no run of somebody else. */
const OTHERS = [
  'POST /api/v1/flows/runs', // starts one
  'POST /api/v1/flows/import',
  'POST /api/v1/flows/flow_run', // any action by name: the same commands
  'POST /api/v1/flows/consents/{consent_id}/revoke', // by its minter or an admin: src/guests/flows/test/refusals.suite.ts
]

/** `sees`: what they may read. Everybody else has the answer of a run that does not exist. */
const PEOPLE: readonly [who: string, by: Caller, on: Scope, expected: 'may' | 'sees' | 'nothing'][] = [
  ['its person', ANA, 'personal', 'may'],
  ['an agent of its person', HER_AGENT, 'personal', 'may'],
  ['another agent of its person', caller({ kind: 'agent', user: 'ana', name: 'b' }), 'personal', 'may'],
  ['an agent of another user', caller({ kind: 'agent', user: 'ben', name: 'a' }), 'personal', 'sees'],
  ['another person', caller({ kind: 'user', user: 'ben' }), 'personal', 'sees'],
  ['an approver without a flow role', caller({ kind: 'approver', user: 'ben' }), 'personal', 'sees'],
  ['an editor', caller({ kind: 'user', user: 'ben', flow_role: 'editor' }), 'personal', 'sees'],
  ['an admin of flows', caller({ kind: 'user', user: 'ben', flow_role: 'admin' }), 'personal', 'may'],
  ['an editor', caller({ kind: 'user', user: 'ben', flow_role: 'editor' }), 'project', 'may'],
  ['an agent with the role editor', caller({ kind: 'agent', user: 'ben', flow_role: 'editor' }), 'project', 'may'],
  ['a viewer', caller({ kind: 'user', user: 'ben' }), 'project', 'nothing'],
  ['somebody with a grant and no role', caller({ kind: 'user', user: 'granted' }), 'org', 'sees'],
  ['a key for another vault', caller({ kind: 'user', user: 'ana', vault: 'other' }), 'personal', 'nothing'],
]

test('every route that changes a flow run is in this table', () => {
  const routes = [...ACCESS.keys()].filter((name) => /^(?:POST|PUT|PATCH|DELETE) \/api\/v1\/flows/.test(name))
  expect(routes.toSorted()).toEqual([...Object.keys(CHANGES), ...OTHERS].toSorted())
})

describe.each(Object.entries(CHANGES))('%s', (_, change) => {
  test.each(PEOPLE)('by %s', async (_who, by, scope, expected) => {
    const run = await runOf(scope)
    const before = await getFlowRun(rig.ports, OWNER, { run_id: run.run_id })
    const changed = await change(by, run)
    if (expected !== 'nothing') {
      const other = await runOf(scope)
      const { may_change } = valueOf(await readChecklist(rig.ports, by, { run_id: other.run_id }))
      expect(may_change).toBe(expected === 'may')
    }
    if (expected === 'may') return expect(changed).toMatchObject({ ok: true })
    const code = expected === 'sees' ? 'auth.forbidden' : 'unknown_run'
    expect(changed).toMatchObject({ ok: false, problem: { code } })
    expect((await getFlowRun(rig.ports, by, { run_id: run.run_id })).ok).toBe(expected === 'sees')
    const after = await getFlowRun(rig.ports, OWNER, { run_id: run.run_id })
    expect(valueOf(after).run.step_states).toEqual(valueOf(before).run.step_states)
    expect(valueOf(after).run.status).toBe('in_progress')
  })
})

describe('a manual step', () => {
  const PROGRAMS: readonly [string, Caller][] = [
    ['an agent of its person', HER_AGENT],
    ['an agent with a flow role', { ...HER_AGENT, flow_role: 'admin' }],
    ['a node of its person', caller({ kind: 'node', user: 'ana' })],
  ]
  test.each(PROGRAMS)('is neither advanced nor given evidence by %s', async (_, by) => {
    const { run_id, flow_id } = await runOf('personal')
    for (const step of [1, 2])
      valueOf(await advanceFlowRun(rig.ports, ANA, { run_id, step_id: `${flow_id}#${step}`, status: 'done' }))
    const step_id = `${flow_id}#3`
    const statuses: readonly JsonObject[] = [
      { status: 'in_progress' },
      { status: 'blocked' },
      { status: 'done' },
      { status: 'skipped', skip_reason: 'policy' },
    ]
    const forbidden = { problem: { code: 'auth.forbidden', about: { needs: 'a person: the step is manual' } } }
    for (const status of statuses)
      expect(await advanceFlowRun(rig.ports, by, { run_id, step_id, ...status })).toMatchObject(forbidden)
    const evidence = { pointer_kind: 'test_result', evidence_ref: await callIn(by, run_id) }
    expect(await addFlowEvidence(rig.ports, by, { run_id, step_id, ...evidence })).toMatchObject(forbidden)
    expect(await advanceFlowRun(rig.ports, ANA, { run_id, step_id, status: 'done' })).toMatchObject({ ok: true })
  })
})

describe('a test result', () => {
  const attach = async ({ run_id, flow_id }: Run, evidence_ref: string, by: Caller = HER_AGENT) => {
    const step = { run_id, step_id: `${flow_id}#1`, pointer_kind: 'test_result', evidence_ref }
    const attached = await addFlowEvidence(rig.ports, by, step)
    return attached.ok ? attached.value.run.step_states[0]?.verified : attached.problem.code
  }
  const NOWHERE = 'FLOW_VERIFICATION_UNSATISFIED'

  test('is a call that was made in the session of the run', async () => {
    const run = await runOf('personal')
    expect(await attach(run, await callIn(HER_AGENT, run.run_id))).toBe(true)
    expect(await attach(run, await callIn(HER_AGENT, 'elsewhere'))).toBe(NOWHERE)
    expect(await attach(run, await callIn(HER_AGENT, (await runOf('personal')).run_id))).toBe(NOWHERE)
  })

  test('is not a call of somebody else, also if they name the session of the run', async () => {
    const run = await runOf('personal')
    const mallory = caller({ kind: 'agent', user: 'mallory' })
    const seesAll = caller({ kind: 'admin', user: 'boss' })
    expect(await attach(run, await callIn(mallory, run.run_id), seesAll)).toBe(NOWHERE)
  })

  test('is an execution of the run, and not one of another', async () => {
    const executed = async () => {
      const run = await runOf('personal')
      const { consent_id } = valueOf(await mintFlowConsent(rig.ports, ANA, { run_id: run.run_id, ...LANE })).consent
      const step_id = `${run.flow_id}#1`
      valueOf(await executeFlowStep(rig.ports, HER_AGENT, { run_id: run.run_id, step_id, consent_id }))
      const { items } = await listCalls(rig.ports, OWNER, { tool: 'book__look', user: 'ana' }, { limit: 1 })
      return { run, call_id: String(items[0]?.call_id) }
    }
    const one = await executed()
    const other = await executed()
    expect(await attach(one.run, one.call_id)).toBe(true)
    expect(await attach(one.run, other.call_id)).toBe(NOWHERE)
  })

  test('is a flow run of the same person that was started for this one', async () => {
    const run = await runOf('personal')
    const sub = async (by: Caller, task_ref: string) => {
      const flow_id = `flow_s${(count += 1)}`
      valueOf(await importFlow(rig.ports, OWNER, bundleOf(flow_id, [{}], { scope: 'personal' })))
      const { run_id } = valueOf(await startFlowRun(rig.ports, by, { flow_id, task_ref })).run
      valueOf(await advanceFlowRun(rig.ports, by, { run_id, step_id: `${flow_id}#1`, status: 'done' }))
      return run_id
    }
    expect(await attach(run, await sub(ANA, run.run_id))).toBe(true)
    expect(await attach(run, await sub(ANA, 'another'))).toBe(NOWHERE)
    expect(await attach(run, await sub(caller({ kind: 'user', user: 'ben' }), run.run_id))).toBe(NOWHERE)
  })
})
