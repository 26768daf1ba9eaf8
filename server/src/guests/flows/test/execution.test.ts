import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { decideProposal, evaluateProposal } from '../review-proposals.ts'
import { submitFlowReview } from '../submit-flow-review.ts'
import { addFlowEvidence } from '../add-flow-evidence.ts'
import { abandonFlowRun } from '../abandon-flow-run.ts'
import { revokeFlowConsent } from '../revoke-flow-consent.ts'
import { listCalls } from '../../activity/endpoints.ts'
import { readChecklist } from '../read-flow-runs.ts'
import { advanceFlowRun } from '../advance-flow-run.ts'
import { executeFlowStep } from '../execute-flow-step.ts'
import { mintFlowConsent } from '../mint-flow-consent.ts'
import { startFlowRun } from '../start-flow-run.ts'
import { importFlow } from '../import-flow.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import type { JsonObject } from '../../../kernel/contract/json.ts'
import type { Result } from '../../../kernel/contract/problems.ts'
import { openTestGate, settingsIn, until, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import {
  ANA,
  BEN,
  bundleOf,
  FLOW_CONFIG,
  HELD_PACK,
  HER_AGENT,
  OWNER,
  PACK,
  prepareFlows,
  REVIEWER,
  WIPE_PACK,
  type StepSketch,
} from './flow-samples.suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-flows-'))
let rig: GateRig

beforeAll(async () => {
  prepareFlows(folder, join(folder, 'data'))
  const policy =
    'rules: [{ id: no-wiping, effect: block, match: { tool: book__wipe }, says: nobody wipes the book }, { id: again, effect: allow, match: { tool: [book__note_again, book__slow_note] }, says: harmless }]'
  const { book } = settingsIn(folder).config.servers
  const shelf = {
    command: process.execPath,
    args: [resolve(import.meta.dirname, '../../../../test/tool-servers/shelf.ts')],
  }
  rig = await openTestGate(folder, { policy, config: { ...FLOW_CONFIG, servers: { book, shelf } } })
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

let count = 0
const code = (result: Result<unknown>): string => (result.ok ? 'ok' : result.problem.code)

/** A run of a flow with these steps, and a consent of Ana's for it. */
async function runOf(steps: readonly StepSketch[], cost_cap_units = 10, minter: Caller = ANA) {
  const flow_id = `flow_e${(count += 1)}`
  valueOf(await importFlow(rig.ports, OWNER, bundleOf(flow_id, steps)))
  const { run } = valueOf(await startFlowRun(rig.ports, HER_AGENT, { flow_id }))
  const { consent } = valueOf(
    await mintFlowConsent(rig.ports, minter, { run_id: run.run_id, allowed_lanes: ['local_default'], cost_cap_units }),
  )
  const step = (n: number) => `${flow_id}#${n}`
  const execute = (n = 1, more: JsonObject = {}, caller: Caller = HER_AGENT) =>
    executeFlowStep(rig.ports, caller, {
      run_id: run.run_id,
      step_id: step(n),
      consent_id: consent.consent_id,
      ...more,
    })
  const advance = (n: number, status: string, more: JsonObject = {}) =>
    advanceFlowRun(rig.ports, ANA, { run_id: run.run_id, step_id: step(n), status, ...more })
  const checklist = async () => valueOf(await readChecklist(rig.ports, ANA, { run_id: run.run_id }))
  return { flow_id, run_id: run.run_id, consent_id: consent.consent_id, step, execute, advance, checklist }
}

const AUTO = { automatable: 'automatable', skills: [PACK], required: true } as const

test('an execution makes its call through the gate, and the hash of its artifact is the evidence', async () => {
  const flow = await runOf([{ ...AUTO, job: 'look' }])
  const { run, execution, schema } = valueOf(await flow.execute())
  expect(schema).toBe('knowtation.flow_execute_automatable/v0')
  expect(execution).toMatchObject({ status: 'completed', cost_units: 1, model_lane: 'local_default' })
  expect(run.step_states[0]).toMatchObject({ status: 'in_progress', verified: true, pointer_kind: 'artifact' })
  const digest = String(execution.evidence_ref).replace('artifact://', '')
  const { text } = valueOf(await rig.gate.artifacts.read({ caller: HER_AGENT }, digest, 0, 10_000))
  expect(text).toBe('I saw: nothing to see')
  expect(createHash('sha256').update(text).digest('hex')).toBe(digest)
  const [call] = valueOf({
    ok: true,
    value: (await listCalls(rig.ports, OWNER, { tool: 'book__look' }, { limit: 1 })).items,
  })
  expect(call).toMatchObject({ tool_id: 'book__look' })
  expect(code(await flow.advance(1, 'done'))).toBe('ok')
  expect((await flow.checklist()).run.status).toBe('done')
})

test('a consent of somebody who decides approvals turns an ask into an allow, and any other consent does not', async () => {
  const lifted = await runOf([{ ...AUTO, job: 'note' }])
  expect(valueOf(await lifted.execute()).execution.status).toBe('completed')

  const kept = await runOf([{ ...AUTO, job: 'note' }], 10, HER_AGENT)
  const waiting = kept.execute(1, {}, HER_AGENT)
  await until(async () => (await rig.gate.approvals.list(OWNER, 'pending', { limit: 5 })).items.length > 0)
  const [held] = (await rig.gate.approvals.list(OWNER, 'pending', { limit: 5 })).items
  const { consents } = await kept.checklist()
  // The call's unit stays reserved while a person decides.
  expect(consents[0]?.cost_consumed_units).toBe(1)
  const packet = valueOf(await rig.gate.approvals.read(OWNER, held?.approval_id ?? ''))
  valueOf(await rig.gate.approvals.decide(OWNER, held?.approval_id ?? '', { says: 'approve', digest: packet.digest }))
  expect(valueOf(await waiting).execution.status).toBe('completed')
})

test('no consent turns a block into an allow: the call is refused, and the execution fails at the minimum cost', async () => {
  const before = rig.effects().length
  const flow = await runOf([{ ...AUTO, job: 'wipe', skills: [WIPE_PACK] }])
  const { execution } = valueOf(await flow.execute())
  expect(execution.cost_units).toBe(1)
  expect(rig.effects().slice(before)).toEqual([])
  expect(execution).toMatchObject({ status: 'failed', evidence_ref: null })
})

test('a model that asks for a tool outside the step is never given it, and the execution fails', async () => {
  const before = rig.effects().length
  const flow = await runOf([{ ...AUTO, job: 'foreign', skills: [HELD_PACK] }])
  const { execution, run } = valueOf(await flow.execute())
  expect(execution).toMatchObject({ status: 'failed', evidence_ref: null, cost_units: 1 })
  expect(run.step_states[0]).toMatchObject({ status: 'pending', evidence_ref: null })
  expect(rig.effects().slice(before)).toEqual([])
})

test('a prompt of a connected server is read through the gate and given to the model; one that does not exist fails the execution', async () => {
  const greeting = await runOf([{ ...AUTO, job: 'greet', skills: [{ kind: 'mcp_prompt', id: 'shelf__greet' }] }])
  expect(valueOf(await greeting.execute()).execution).toMatchObject({ status: 'completed', cost_units: 1 })
  const read = (await rig.gate.audit.page(undefined, 1, 10_000)).filter(({ type }) => type.startsWith('read.'))
  expect(JSON.stringify(read)).toContain(greeting.run_id)
  const lost = await runOf([{ ...AUTO, job: 'greet', skills: [{ kind: 'mcp_prompt', id: 'shelf__gone' }] }])
  expect(valueOf(await lost.execute()).execution).toMatchObject({ status: 'failed', evidence_ref: null })
})

test('the same post ten times at once is one execution, and a later one returns its result', async () => {
  const before = rig.effects().length
  const flow = await runOf([{ ...AUTO, job: 'slow' }])
  const answers = await Promise.all(Array.from({ length: 10 }, () => flow.execute()))
  const ids = new Set(answers.map((answer) => valueOf(answer).execution.execution_id))
  expect(ids.size).toBe(1)
  expect(new Set(answers.map((answer) => valueOf(answer).execution.evidence_ref)).size).toBe(1)
  expect(rig.effects().slice(before)).toHaveLength(1)
  const later = valueOf(await flow.execute()).execution
  expect(later).toEqual(valueOf(answers[0] ?? (await flow.execute())).execution)
  expect((await flow.checklist()).consents[0]?.cost_consumed_units).toBe(1)
})

test('a dry run spends nothing, stores nothing, and does not replace the real execution', async () => {
  const flow = await runOf([{ ...AUTO, job: 'many' }])
  const entries = async () => (await rig.gate.audit.page(undefined, 1, 10_000)).length
  const before = [await flow.checklist(), await entries(), rig.effects().length]
  const { execution } = valueOf(await flow.execute(1, { dry_run: true }))
  expect(execution).toMatchObject({ status: 'completed', cost_units: 0, evidence_ref: null })
  expect([await flow.checklist(), await entries(), rig.effects().length]).toEqual(before)
  const real = valueOf(await flow.execute()).execution
  expect(real).toMatchObject({ status: 'completed', cost_units: 3 })
  expect(real.execution_id).not.toBe(execution.execution_id)
  const after = valueOf(await flow.execute(1, { dry_run: true })).execution
  expect(after.cost_units).toBe(0)
})

test('an execution stops at the cost cap and never exceeds it', async () => {
  const before = rig.effects().length
  const flow = await runOf([{ ...AUTO, job: 'many' }], 2)
  const { execution, run } = valueOf(await flow.execute())
  expect(execution).toMatchObject({ status: 'cost_capped', cost_units: 2, evidence_ref: null })
  expect(run.step_states[0]?.status).toBe('pending')
  expect(rig.effects().slice(before)).toHaveLength(2)
  expect((await flow.checklist()).consents[0]).toMatchObject({ cost_cap_units: 2, cost_consumed_units: 2 })
})

test('a failed check leaves the step unverified, so it cannot be completed', async () => {
  const flow = await runOf([{ ...AUTO, job: 'wrong', kind: 'agent_check' }])
  expect(valueOf(await flow.execute()).run.step_states[0]).toMatchObject({ status: 'in_progress', verified: false })
  expect(code(await flow.advance(1, 'done'))).toBe('FLOW_VERIFICATION_UNSATISFIED')
})

test('revoking a consent does not stop running executions, but no new one starts under it', async () => {
  const flow = await runOf([
    { ...AUTO, job: 'slow' },
    { ...AUTO, job: 'look' },
  ])
  const running = flow.execute()
  await until(async () => (await flow.checklist()).executions.length > 0)
  expect(code(await revokeFlowConsent(rig.ports, BEN, { consent_id: flow.consent_id }))).toBe('auth.forbidden')
  expect(code(await revokeFlowConsent(rig.ports, ANA, { consent_id: flow.consent_id }))).toBe('ok')
  expect(['completed', 'failed']).toContain(valueOf(await running).execution.status)
  expect(code(await flow.execute())).toBe('FLOW_EXECUTION_CONSENT_REQUIRED')
})

test('abandoning a run cancels its execution and returns unused units', async () => {
  const flow = await runOf([{ ...AUTO, job: 'note' }], 5, HER_AGENT)
  const running = flow.execute()
  await until(async () => {
    const runs = await rig.gate.runs.list(OWNER, { kind: 'flow-execution', status: 'waiting' }, { limit: 10 })
    return runs.items.some(({ thread }) => thread === flow.run_id)
  })
  expect(code(await abandonFlowRun(rig.ports, ANA, { run_id: flow.run_id, reason: 'not needed' }))).toBe('ok')
  expect(valueOf(await running).execution).toMatchObject({ status: 'failed', cost_units: 1 })
  expect(code(await flow.advance(1, 'done'))).toBe('FLOW_RUN_NOT_IN_PROGRESS')
})

test('a human review is closed only by its approved proposal', async () => {
  const flow = await runOf([{ kind: 'human_review', required: true }])
  const digest = createHash('sha256').update('I saw: nothing to see').digest('hex')
  const step_id = flow.step(1)
  const attached = await addFlowEvidence(rig.ports, ANA, {
    run_id: flow.run_id,
    step_id,
    evidence_ref: digest,
    pointer_kind: 'hash',
  })
  expect(valueOf(attached).run.step_states[0]).toMatchObject({ verified: false, pointer_kind: 'hash' })
  const { proposal_id } = valueOf(
    await submitFlowReview(rig.ports, HER_AGENT, { run_id: flow.run_id, intent: 'look at it' }),
  )
  const early = { run_id: flow.run_id, step_id, evidence_ref: proposal_id, pointer_kind: 'proposal' }
  expect(code(await addFlowEvidence(rig.ports, ANA, early))).toBe('FLOW_VERIFICATION_UNSATISFIED')
  const approve = { decision: 'approve' } as const
  expect(code(await decideProposal(rig.ports, ANA, proposal_id, approve))).toBe('proposal.own')
  expect(code(await decideProposal(rig.ports, HER_AGENT, proposal_id, approve))).toBe('auth.forbidden')
  expect(code(await decideProposal(rig.ports, BEN, proposal_id, approve))).toBe('auth.forbidden')
  expect(code(await decideProposal(rig.ports, REVIEWER, proposal_id, approve))).toBe('EVALUATION_REQUIRED')
  const half = valueOf(
    await evaluateProposal(rig.ports, REVIEWER, proposal_id, { answers: { checkable: true }, needs_changes: false }),
  )
  expect(half.evaluation).toBe('pending')
  expect(code(await decideProposal(rig.ports, REVIEWER, proposal_id, approve))).toBe('EVALUATION_REQUIRED')
  const answers = { checkable: true, in_job: true, unknowns: true }
  expect(
    valueOf(await evaluateProposal(rig.ports, REVIEWER, proposal_id, { answers, needs_changes: false })).evaluation,
  ).toBe('passed')
  expect(valueOf(await decideProposal(rig.ports, REVIEWER, proposal_id, approve)).state).toBe('approved')
  expect(code(await decideProposal(rig.ports, REVIEWER, proposal_id, approve))).toBe('proposal.decided')
  const { run, history } = await flow.checklist()
  expect(run.step_states[0]).toMatchObject({ verified: true, evidence_ref: proposal_id, pointer_kind: 'proposal' })
  expect(history.at(-1)).toMatchObject({ by: 'reviewer:rita', did: 'reviewed' })
  // The reviewed content cannot be replaced afterwards.
  const swapped = { run_id: flow.run_id, step_id, evidence_ref: digest, pointer_kind: 'hash' }
  expect(valueOf(await addFlowEvidence(rig.ports, ANA, swapped)).run.step_states[0]?.verified).toBe(false)
  expect(valueOf(await addFlowEvidence(rig.ports, ANA, early)).run.step_states[0]?.verified).toBe(true)
  expect(valueOf(await flow.advance(1, 'done')).run.status).toBe('done')
})

test('an evaluation can be waived with a reason, which is stored', async () => {
  const flow = await runOf([{ kind: 'human_review', required: true }])
  const { proposal_id } = valueOf(await submitFlowReview(rig.ports, ANA, { run_id: flow.run_id, intent: 'urgent' }))
  const decided = await decideProposal(rig.ports, REVIEWER, proposal_id, {
    decision: 'approve',
    waive: 'seen it live',
  })
  expect(valueOf(decided)).toMatchObject({ state: 'approved', waived: 'seen it live', evaluation: 'pending' })
})
