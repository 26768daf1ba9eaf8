import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readToolflow } from '../../src/guests/toolflow/read-toolflow.ts'
import type { RunRow } from '../../src/kernel/contract/run.ts'
import { beginRun } from '../../src/kernel/runs/begin-run.ts'
import { openSealedStore } from '../../src/main/open-sealed-store.ts'
import { startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { AGENT, APPROVER, pendingOf, until, USER, withGate, type GateRig } from '../helpers/with-gate.ts'
import { counter, START } from '../../src/kernel/runs/test/counter-kind.suite.ts'
import { run } from '../../src/kernel/runs/test/with-runs.suite.ts'
import { approvalIn, FLOW_POLICY, note, runFlow, valueOf } from '../../src/guests/toolflow/test/with-flows.suite.ts'

const PAGE = { limit: 50 }
const runOf = async ({ gate }: GateRig, run_id: string) => valueOf(await gate.runs.read(APPROVER, run_id, PAGE))
const heldRuns = async ({ gate }: GateRig) =>
  (await gate.runs.list(APPROVER, { kind: 'held-call' }, PAGE)).items.filter(({ status }) => status === 'waiting')

test('cancelling a toolflow that waits for a person withdraws its call: nothing runs, and both runs end as cancelled or done', async () => {
  await withGate(
    async (rig) => {
      const asked = await runFlow(rig, note('ask me'))
      const [held] = await heldRuns(rig)
      valueOf(await rig.gate.runs.cancel(USER, asked.run_id, 'not needed'))
      await until(async () => (await runOf(rig, asked.run_id)).status === 'cancelled')
      expect(valueOf(await rig.gate.approvals.read(APPROVER, approvalIn(asked))).state).toBe('withdrawn')
      expect(valueOf(await readToolflow(rig.ports, USER, asked.run_id))).toMatchObject({ status: 'BLOCK' })
      await until(async () => ['done', 'cancelled'].includes((await runOf(rig, held?.run_id ?? '')).status))
      expect(await rig.gate.runs.cancel(USER, asked.run_id)).toMatchObject({ problem: { code: 'run.ended' } })
      expect(rig.effects()).toEqual([])
    },
    { policy: FLOW_POLICY },
  )
})

test('cancelling the run of a held call withdraws the call, once, however often it is asked', async () => {
  await withGate(
    async (rig) => {
      const { approval_id, call_id } = pendingOf(await rig.call('book__note', { text: 'ask me' }))
      const [held] = await heldRuns(rig)
      const run_id = held?.run_id ?? ''
      const asked = await Promise.all(Array.from({ length: 5 }, () => rig.gate.runs.cancel(AGENT, run_id)))
      for (const one of asked) if (!one.ok) expect(one.problem.code).toBe('run.ended')
      await until(async () => (await runOf(rig, run_id)).status === 'cancelled')
      expect(await rig.outcome(call_id)).toMatchObject({ status: 'refused', problem: { code: 'approval.withdrawn' } })
      expect(valueOf(await rig.gate.approvals.read(APPROVER, approval_id)).state).toBe('withdrawn')
      const { events } = await runOf(rig, run_id)
      expect(events.filter(({ type }) => type === 'run.cancel')).toHaveLength(1)
    },
    { policy: FLOW_POLICY },
  )
})

test('an executing call is not lost: its cancelled toolflow ends with the call', async () => {
  await withGate(
    async (rig) => {
      const slow = { user_prompt: 'x', skill_id: 'book__slow_note', args: { text: 'slow', until: 'released' } }
      const flow = await runFlow(rig, slow, { wait_ms: 0 })
      await until(async () => (await runOf(rig, flow.run_id)).executing.includes('toolflow_dispatch'))
      valueOf(await rig.gate.runs.cancel(USER, flow.run_id))
      writeFileSync(join(rig.folder, 'effects.txt.go'), '')
      await until(async () => (await runOf(rig, flow.run_id)).ended_at !== undefined)
      const { status } = valueOf(await readToolflow(rig.ports, USER, flow.run_id))
      expect([status, rig.effects().length]).toEqual(['OK', 1])
    },
    { policy: FLOW_POLICY },
  )
})

test('the view of a run contains no text of its caller, only types, keys and times', async () => {
  await withGate(
    async (rig) => {
      const secret = 'a private matter of mine'
      const flow = await runFlow(rig, { user_prompt: secret, skill_id: 'book__note', args: { text: `ask ${secret}` } })
      const shown = JSON.stringify([
        await runOf(rig, flow.run_id),
        await rig.gate.runs.list(APPROVER, {}, PAGE),
        await rig.gate.runs.cancel(USER, flow.run_id, secret),
        await runOf(rig, flow.run_id),
      ])
      expect(shown).not.toContain(secret)
      expect(shown).toContain('toolflow.started')
    },
    { policy: FLOW_POLICY },
  )
})

describe('the routes and commands of runs', () => {
  let gate: RunningGate & { stop(): Promise<void> }
  const keys: Record<string, string> = {}
  let run_id = ''
  beforeAll(async () => {
    gate = await startGate()
    for (const [name, kind, user] of [
      ['ana', 'agent', 'ana'],
      ['other', 'agent', 'ana'],
      ['person', 'user', 'ana'],
      ['stranger', 'user', 'bob'],
      ['approver', 'approver', 'eve'],
      ['admin', 'admin', 'root'],
    ] as const)
      keys[name] = await gate.key(kind, name, user)
    await gate.http('POST', '/v1/calls', keys['ana'], { tool: 'book__note', args: { text: 'x' }, thread: 'mine' })
    const { body } = await gate.http('GET', '/v1/runs?kind=held-call&owner=agent:ana&user=ana', keys['admin'])
    run_id = (body['items'] as { run_id: string }[])[0]?.run_id ?? ''
  })
  afterAll(() => gate.stop())
  const get = (path: string, who: string) => gate.http('GET', path, keys[who])
  const idsOf = async (path: string, who: string) =>
    ((await get(path, who)).body['items'] as { run_id: string }[]).map((one) => one.run_id)

  test('a run is visible to its owner, their user and deciders, and unknown to everybody else', async () => {
    for (const who of ['ana', 'person', 'approver', 'admin']) {
      expect([who, (await get(`/v1/runs/${run_id}`, who)).status]).toEqual([who, 200])
      expect([who, await idsOf('/v1/runs', who)]).toEqual([who, [run_id]])
    }
    const missing = 'run_ffffffffffffffff'
    for (const who of ['other', 'stranger']) {
      expect(await idsOf('/v1/runs', who)).toEqual([])
      for (const [method, part, body] of [
        ['GET', ''],
        ['POST', '/cancel', {}],
      ] as const) {
        const answer = async (id: string) => {
          const { status, body: said } = await gate.http(method, `/v1/runs/${id}${part}`, keys[who], body)
          return JSON.stringify([status, { ...said, trace_id: '' }]).replaceAll(id, 'ID')
        }
        expect(await answer(run_id)).toBe(await answer(missing))
        expect(await answer(run_id)).toContain('404')
      }
    }
  })

  test('they are listed by status, kind, owner, thread and parent', async () => {
    for (const query of ['status=waiting', 'kind=held-call', 'owner=agent:ana', 'user=ana', 'thread=mine'])
      expect([query, await idsOf(`/v1/runs?${query}`, 'admin')]).toEqual([query, [run_id]])
    for (const query of ['status=faulted', 'kind=toolflow', 'owner=agent:x', 'user=x', 'thread=x', `parent=${run_id}`])
      expect([query, await idsOf(`/v1/runs?${query}`, 'admin')]).toEqual([query, []])
    for (const query of ['status=well', 'kind=x', 'parent=x', 'nobody=1'])
      expect(await get(`/v1/runs?${query}`, 'admin')).toMatchObject({ status: 400, body: { code: 'request.invalid' } })
  })

  test('only a faulted run is resumed, and only by an admin', async () => {
    const resume = (who: string) => gate.http('POST', `/v1/runs/${run_id}/resume`, keys[who])
    expect(await resume('approver')).toMatchObject({ status: 403 })
    expect(await resume('admin')).toMatchObject({ status: 409, body: { code: 'run.not_faulted' } })
  })

  test('the command line lists, shows and cancels', async () => {
    expect((await gate.cli('runs', '--status', 'waiting')).out).toMatch(
      new RegExp(`${run_id} +held-call +waiting +agent:ana`),
    )
    expect((await gate.cli('runs', 'show', run_id)).out).toContain('waits for: approval auth_')
    const shown: unknown = JSON.parse((await gate.cli('runs', 'show', run_id, '--json')).out)
    expect(shown).toMatchObject({ run_id, thread: 'mine', owner: { id: 'agent:ana', user: 'ana' } })
    expect((await gate.cli('runs', 'resume', run_id)).err).toContain('[run.not_faulted]')
    expect((await gate.cli('runs', 'cancel', run_id, '--reason', 'enough')).out).toContain('asked to stop')
    await until(async () => (await get(`/v1/runs/${run_id}`, 'admin')).body['status'] === 'cancelled')
    expect((await gate.cli('runs', 'cancel', run_id)).err).toContain('[run.ended]')
  })

  test('a faulted run is listed by doctor and counted by the gauge, and an admin resumes it', async () => {
    const faulted = run(77)
    const opened = await openSealedStore({
      folder: join(gate.folder, '.sluice'),
      stream: 'main',
      onFault: () => {},
      onRejected: () => {},
    })
    if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
    const fault = { count: 5, at: 1, says: 'the key is wrong' }
    const to: RunRow = { ...beginRun(counter, faulted, { state: START }, 1), status: 'faulted', fault }
    await opened.value.ledger.commit([{ kind: 'swap', table: 'runs', id: faulted, from: 'absent', to }])
    await opened.value.close()
    const gauge = async () => /^sluice_runs_faulted(?:\{\S*\})? (\d+)/m.exec(await (await metrics()).text())?.[1]
    const metrics = () => fetch(`${gate.url}/metrics`, { headers: { authorization: `Bearer ${keys['admin']}` } })
    expect(await gauge()).toBe('1')
    const doctor = await gate.cli('doctor')
    expect(doctor.out).toContain(`run ${faulted}`)
    expect(doctor.out).toContain('the key is wrong')
    expect((await gate.cli('runs', 'resume', faulted)).out).toContain(faulted)
    expect(await get(`/v1/runs/${faulted}`, 'admin')).toMatchObject({ body: { status: 'waiting' } })
    expect(await gauge()).toBe('0')
  })
})
