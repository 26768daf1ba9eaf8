import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resumeToolflow } from '../resume-toolflow.ts'
import { readToolflow } from '../read-toolflow.ts'
import { graveyard, leftBy, type Left } from '../../../../test/crash/dying.ts'
import type { ProbePoint } from '../../../kernel/ports/runtime.ts'
import { ADMIN, APPROVER, effectsIn, openTestGate, until, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { shownIn, FLOW_POLICY, note, runFlow, valueOf } from './with-flows.suite.ts'
import { IS_WHOLE, someOf } from '../../../../test/some-of.ts'

const root = graveyard()
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Between these points the call is marked executing, and nobody can know whether it took effect. */
const IN_THE_DARK: readonly ProbePoint[] = ['intent.after', 'upstream.before', 'upstream.after', 'outcome.before']

function leftByFlow(name: string, live: (rig: GateRig, arm: () => void) => Promise<void>): Promise<readonly Left[]> {
  const folder = join(root, name)
  return leftBy(folder, async ({ reach, arm }) => {
    const rig = await openTestGate(folder, { policy: FLOW_POLICY, probe: reach })
    await live(rig, arm)
    await rig.opened.close()
  })
}

async function flowIn(rig: GateRig): Promise<string> {
  const entries = await rig.gate.audit.page(undefined, 1, 1_000)
  return entries.find(({ type }) => type === 'toolflow.started')?.subject['run'] ?? ''
}

async function reopened({ folder }: Left, look: (rig: GateRig, run: string) => Promise<void>): Promise<void> {
  const rig = await openTestGate(folder, { policy: FLOW_POLICY })
  try {
    await look(rig, await flowIn(rig))
    expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
  } finally {
    await rig.opened.close()
  }
}

const viewOf = async ({ gate }: GateRig, run: string) => valueOf(await readToolflow(gate.ports, ADMIN, run))

/** It either ends by itself, or becomes unknown, waits for a person and then ends. In both cases the tool has run at most once. */
async function survives(left: Left): Promise<'ended' | 'in the dark'> {
  let how: 'ended' | 'in the dark' = 'ended'
  const ran = effectsIn(left.folder).length
  await reopened(left, async (rig, run) => {
    await until(async () => ['OK', 'FAILED'].includes((await viewOf(rig, run)).status))
    const { status, state, result_card } = await viewOf(rig, run)
    if (status === 'FAILED') {
      how = 'in the dark'
      expect(result_card).toMatchObject({ exec_result: { status: 'unknown' } })
      expect(effectsIn(left.folder)).toHaveLength(ran)
      valueOf(await rig.gate.calls.settle(APPROVER, state.call_id ?? '', 'done'))
      await until(async () => (await viewOf(rig, run)).status === 'OK')
    }
    expect(effectsIn(left.folder)).toHaveLength(status === 'OK' ? 1 : ran)
    const entries = await rig.gate.audit.page(undefined, 1, 1_000)
    expect(entries.filter(({ type }) => type === 'toolflow.ended')).toHaveLength(1)
  })
  return how
}

/** Four at a time: each starts its own tool server. */
async function allSurvive(left: readonly Left[]): Promise<readonly ProbePoint[]> {
  const dark: ProbePoint[] = []
  for (let at = 0; at < left.length; at += 4) {
    const some = left.slice(at, at + 4)
    const ended = await Promise.all(some.map(survives))
    dark.push(...some.filter((_, index) => ended[index] === 'in the dark').map(({ point }) => point))
  }
  return dark
}

describe('a flow that runs unattended', () => {
  let left: readonly Left[] = []
  beforeAll(async () => {
    left = await leftByFlow('auto', async (rig, arm) => {
      arm()
      expect((await runFlow(rig, note('once'))).status).toBe('OK')
    })
  })

  test('is recorded before and after each of its steps and each part of its call', () => {
    const points = left.map(({ point }) => point)
    expect(points.filter((point) => point === 'step.before')).toHaveLength(6)
    for (const point of [...IN_THE_DARK, 'intent.before', 'outcome.after', 'step.after'] as const)
      expect(points).toContain(point)
  })

  test('survives a kill at each of them: it continues, or a person is asked, and the tool never runs twice', async () => {
    const points = someOf(left, 3)
    const dark = points.map(({ point }) => point).filter((point) => IN_THE_DARK.includes(point))
    expect(await allSurvive(points)).toEqual(dark)
  })
})

test.skipIf(!IS_WHOLE)('a flow that a person approves survives a kill at each point after the decision', async () => {
  const left = await leftByFlow('held', async (rig, arm) => {
    const asked = await runFlow(rig, note('ask first'))
    arm()
    const answer = { ...shownIn(asked), choice: 'Approve & Execute' } as const
    expect(valueOf(await resumeToolflow(rig.ports, APPROVER, asked.run_id, answer)).status).toBe('OK')
  })
  const [first, ...rest] = left
  if (first?.point !== 'decision.before') throw new Error('the first point is before the decision')
  await reopened(first, async (rig, run) => expect((await viewOf(rig, run)).status).toBe('ASK'))
  expect(effectsIn(first.folder)).toEqual([])
  // What is around the call itself is the same as above.
  await allSurvive(rest.filter(({ point }) => point.startsWith('decision') || point.startsWith('step')))
})
