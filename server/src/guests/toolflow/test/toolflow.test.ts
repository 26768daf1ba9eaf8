import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resumeToolflow } from '../resume-toolflow.ts'
import { readToolflow } from '../read-toolflow.ts'
import { runToolflow } from '../run-toolflow.ts'
import { ToolflowBody } from '../toolflow.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  effectsIn,
  openTestGate,
  SECOND,
  until,
  USER,
  type GateRig,
  approveShown,
  typedFor,
} from '../../../../test/helpers/with-gate.ts'
import { approvalIn, shownIn, FLOW_POLICY, note, runFlow, valueOf } from './with-flows.suite.ts'

let rig: GateRig
const folder = mkdtempSync(join(tmpdir(), 'sluice-flow-'))
beforeAll(async () => {
  rig = await openTestGate(folder, { policy: FLOW_POLICY, config: { repetition: { most: 1000 } } })
})
afterAll(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const ran = () => effectsIn(folder).length
const entries = async (run: string) =>
  (await rig.gate.audit.page(undefined, 1, 10_000)).filter(({ subject }) => subject['run'] === run)

describe('a flow', () => {
  test('tries the tool without its effect first, then runs it once', async () => {
    const before = ran()
    const { status, state, result_card } = await runFlow(rig, note('dry first'))
    expect(state.path).toEqual(['TOOL_SEARCH', 'SELECT', 'GET_CARD', 'SERENITY_GATE', 'DRY_RUN', 'EXECUTE', 'FINAL'])
    expect([status, state.dry_run_result, ran() - before]).toEqual(['OK', 'would note', 1])
    expect(result_card).toMatchObject({ summary: 'noted dry first' })
  })

  test('stops when that fails, with nothing executed', async () => {
    const before = ran()
    const { status, state, result_card } = await runFlow(rig, note('impossible'))
    expect([status, state.node, state.call_id, ran() - before]).toEqual(['FAILED', 'FINAL', null, 0])
    expect(result_card).toMatchObject({ reason: expect.stringContaining('[call.dry_run_failed]') as string })
  })

  test('is recorded once at its start and once at its end, with the gate’s evidence and without the prompt', async () => {
    const { run_id } = await runFlow(rig, { ...note('recorded'), user_prompt: 'my private words' })
    const recorded = await entries(run_id)
    expect(recorded.map(({ type, outcome }) => [type, outcome])).toEqual([
      ['toolflow.started', undefined],
      ['toolflow.ended', 'OK'],
    ])
    expect(recorded[1]?.about).toEqual({
      gate: { gate_status: 'AUTO_RUN', total_score: null, risk_score: null, stale_score: null, source: 'policy' },
    })
    expect(JSON.stringify(recorded)).not.toContain('private')
    expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
  })

  test('of the same key and words is the same flow; with other words the key is refused', async () => {
    const before = ran()
    const more = { idempotency_key: 'k1' }
    const [first, second] = await Promise.all([runFlow(rig, note('once'), more), runFlow(rig, note('once'), more)])
    expect([first.run_id, first.status, ran() - before]).toEqual([second.run_id, 'OK', 1])
    expect(await runToolflow(rig.ports, USER, ToolflowBody.parse(note('twice')), more)).toMatchObject({
      problem: { code: 'toolflow.key_reused' },
    })
    expect((await runFlow(rig, note('once'), { ...more, caller: ADMIN })).run_id).not.toBe(first.run_id)
  })

  test('keeps no secret of its prompt, and of blocked arguments only the hash', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`
    const flow = {
      user_prompt: `note ${secret}`,
      query: `note ${secret}`,
      skill_id: 'book__slow_note',
      args: { text: secret },
    }
    const { status, run_id } = await runFlow(rig, flow)
    expect(status).toBe('BLOCK')
    expect(JSON.stringify(await readToolflow(rig.ports, ADMIN, run_id))).not.toContain(secret)
    expect(JSON.stringify(await entries(run_id))).not.toContain(secret)
    const ledger = new DatabaseSync(join(folder, 'data', 'ledger.sqlite'), { readOnly: true })
    for (const table of ['runs', 'events', 'calls', 'audit'])
      expect(JSON.stringify(ledger.prepare(`SELECT * FROM ${table}`).all())).not.toContain(secret)
    ledger.close()
  })
})

describe('the ambiguity guard', () => {
  test('cannot be bypassed by a consent, by asking for one candidate, or by an agent’s own choice', async () => {
    const what = { tool: 'book__*', args: [{ path: '', op: 'any' as const }] }
    valueOf(await rig.gate.consents.mint(ADMIN, { actor: 'caller:agent:a', what, calls: 10, expires_in_s: 60 }))
    const before = ran()
    for (const top_k of [1, 5]) {
      const { status, approval_packet, state } = await runFlow(
        rig,
        { user_prompt: 'a note', top_k, args: { text: 'x' } },
        { caller: AGENT },
      )
      expect([status, state.node, state.call_id]).toEqual(['ASK', 'FINAL', null])
      expect(approval_packet).toMatchObject({
        approval_id: null,
        next_actions: ['Choose one of the candidates', 'Run tool_search with tighter query'],
      })
    }
    expect(await runToolflow(rig.ports, AGENT, ToolflowBody.parse(note('x')))).toMatchObject({
      problem: { code: 'auth.forbidden' },
    })
    expect(ran()).toBe(before)
  })
})

describe('a consent', () => {
  test('allows a call that the policy asks about, and only the call itself uses it up', async () => {
    const what = { tool: 'book__wipe', args: [{ path: '/text', op: 'any' as const }] }
    const { consent_id } = valueOf(
      await rig.gate.consents.mint(ADMIN, { actor: 'user:ana', what, calls: 2, expires_in_s: 60 }),
    )
    const { status } = await runFlow(rig, { user_prompt: 'wipe', args: { text: 'a bit' } })
    expect(status).toBe('OK')
    const { items } = await rig.gate.consents.list(ADMIN, { limit: 50 })
    expect(items.find((one) => one.consent_id === consent_id)).toMatchObject({ calls_left: 1 })
  })
})

describe('a person', () => {
  test('who has to give inputs sees which existing ones are hidden, where and how much', async () => {
    const args = { note: 'password="x*/; DROP TABLE users; /*"' }
    const asked = await runFlow(rig, { user_prompt: 'a note', skill_id: 'book__note', args })
    expect(asked.approval_packet).toMatchObject({
      approval_id: null,
      required_inputs: ['text'],
      proposed_args: expect.not.stringContaining('DROP TABLE'),
      hidden: [{ in: 'proposed_args', at: '/note', length: 25 }],
    })
  })

  test('approves nothing without naming the packet that was shown', async () => {
    const asked = await runFlow(rig, note('ask about a packet'))
    const answer = { approval_id: approvalIn(asked), choice: 'Approve & Execute' } as const
    expect(await resumeToolflow(rig.ports, APPROVER, asked.run_id, answer)).toMatchObject({
      problem: { code: 'approval.changed' },
    })
  })

  test('approves: the flow continues and ends', async () => {
    const before = ran()
    const asked = await runFlow(rig, note('ask me'))
    expect([asked.status, asked.state.node, ran() - before]).toEqual(['ASK', 'ASK', 0])
    const answer = { ...shownIn(asked), choice: 'Approve & Execute' } as const
    for (const caller of [AGENT, USER])
      expect(await resumeToolflow(rig.ports, caller, asked.run_id, answer)).toMatchObject({
        problem: { code: 'auth.forbidden' },
      })
    const { status, result_card } = valueOf(await resumeToolflow(rig.ports, APPROVER, asked.run_id, answer))
    expect([status, result_card, ran() - before]).toEqual([
      'OK',
      expect.objectContaining({ summary: 'noted ask me' }),
      1,
    ])
    expect(await resumeToolflow(rig.ports, APPROVER, asked.run_id, answer)).toMatchObject({ ok: false })
    expect(ran() - before).toBe(1)
  })

  test('cancels: the flow ends in a block that says so', async () => {
    const asked = await runFlow(rig, note('ask cancel'))
    const answer = { approval_id: approvalIn(asked), choice: 'Cancel', reason: 'not today' } as const
    const { status, block_card } = valueOf(await resumeToolflow(rig.ports, APPROVER, asked.run_id, answer))
    expect([status, block_card?.reason]).toEqual(['BLOCK', expect.stringContaining('[approval.denied]')])
  })

  test('decides at any other door, and the flow continues accordingly', async () => {
    const asked = await runFlow(rig, note('ask elsewhere'))
    valueOf(await approveShown(rig.gate, APPROVER, approvalIn(asked)))
    await until(async () => valueOf(await readToolflow(rig.ports, USER, asked.run_id)).status === 'OK')
  })

  test('withdraws an own flow’s call: it ends in a block', async () => {
    const asked = await runFlow(rig, note('ask withdrawn'), { caller: USER })
    valueOf(await rig.gate.calls.withdraw(USER, asked.state.call_id ?? ''))
    const read = async () => valueOf(await readToolflow(rig.ports, USER, asked.run_id))
    await until(async () => (await read()).status === 'BLOCK')
    expect((await read()).block_card?.reason).toContain('[approval.withdrawn]')
  })

  test('needs a second one if the policy requires two', async () => {
    const before = ran()
    const asked = await runFlow(rig, note('ask two'))
    const typed = typedFor(valueOf(await rig.gate.approvals.read(APPROVER, approvalIn(asked))))
    const answer = { ...shownIn(asked), typed, choice: 'Approve & Execute' } as const
    const { typed: _, ...untyped } = answer
    expect(await resumeToolflow(rig.ports, APPROVER, asked.run_id, untyped)).toMatchObject({
      problem: { code: 'approval.typed_needed' },
    })
    expect(valueOf(await resumeToolflow(rig.ports, APPROVER, asked.run_id, answer))).toMatchObject({ status: 'ASK' })
    expect(ran() - before).toBe(0)
    expect(valueOf(await resumeToolflow(rig.ports, SECOND, asked.run_id, answer))).toMatchObject({ status: 'OK' })
    expect(ran() - before).toBe(1)
  })

  test('answers only about the request of this flow, and edits with inputs', async () => {
    const [one, other] = [await runFlow(rig, note('ask one')), await runFlow(rig, note('ask other'))]
    const foreign = { approval_id: approvalIn(other), choice: 'Approve & Execute' } as const
    expect(await resumeToolflow(rig.ports, APPROVER, one.run_id, foreign)).toMatchObject({
      problem: { code: 'approval.unknown' },
    })
    const bare = { approval_id: approvalIn(one), choice: 'Edit Inputs' } as const
    expect(await resumeToolflow(rig.ports, APPROVER, one.run_id, bare)).toMatchObject({
      problem: { code: 'request.invalid' },
    })
  })
})

test('of twenty flows at once each runs its own call, once', async () => {
  const before = ran()
  const texts = Array.from({ length: 20 }, (_, at) => `many ${at}`)
  const views = await Promise.all(texts.map((text) => runFlow(rig, note(text))))
  expect(views.map(({ status }) => status)).toEqual(texts.map(() => 'OK'))
  expect(effectsIn(folder).slice(before).toSorted()).toEqual(texts.map((text) => `note {"text":"${text}"}`).toSorted())
})
