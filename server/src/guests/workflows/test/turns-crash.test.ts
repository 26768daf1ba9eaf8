import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { graveyard, leftBy, type Left } from '../../../../test/crash/dying.ts'
import type { ProbePoint } from '../../../kernel/ports/runtime.ts'
import { startModelServer, type ModelServer } from '../../agent/test/model-server.suite.ts'
import { IS_WHOLE } from '../../../../test/some-of.ts'
import { openForCrash } from './carry-out.suite.ts'
import { carryTurn, QUESTION, sayTurn, sentWith } from './carry-turn.suite.ts'

const POINTS = [
  'step.before',
  'step.after',
  'intent.before',
  'intent.after',
  'upstream.before',
  'upstream.after',
  'outcome.before',
  'outcome.after',
] as const satisfies readonly ProbePoint[]

const root = graveyard()
let model: ModelServer
let left: readonly Left[] = []
beforeAll(async () => {
  model = await startModelServer()
  model.say = sayTurn
  if (!IS_WHOLE) return
  const folder = join(root, 'live')
  left = await leftBy(folder, async ({ reach, arm }) => {
    const rig = await openForCrash(folder, model.url, reach)
    arm()
    await carryTurn(rig, 'one')
    await rig.close()
  })
})
afterAll(async () => {
  await model.close()
  rmSync(root, { recursive: true, force: true })
})

async function isAnsweredOnce({ point, nth, folder }: Left): Promise<void> {
  const where = `killed at ${point}, time ${nth}`
  const rig = await openForCrash(folder, model.url)
  try {
    // The transport delivers the message again, as after every restart.
    await carryTurn(rig, 'one')
    await carryTurn(rig, 'two')
    expect([sentWith(rig, 'Written: one.'), sentWith(rig, 'Written: two.')], where).toEqual([1, 1])
    expect(sentWith(rig, QUESTION), where).toBeLessThan(2)
    expect(
      rig.effects().some((line) => line.includes('note one')),
      where,
    ).toBe(true)
    expect(await rig.gate.audit.verify([]), where).toMatchObject({ ok: true })
  } finally {
    await rig.close()
  }
}

test.skipIf(!IS_WHOLE).each(POINTS)(
  'a person whose gate is killed at any visit of %s is answered once',
  { timeout: 900_000 },
  async (point) => {
    const visits = left.filter((one) => one.point === point)
    expect(visits.length).toBeGreaterThan(1)
    for (const visit of visits) await isAnsweredOnce(visit)
  },
)
