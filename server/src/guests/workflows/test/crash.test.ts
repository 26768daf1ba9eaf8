import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dieIn, graveyard, leftBy, type Left } from '../../../../test/crash/dying.ts'
import type { ProbePoint } from '../../../kernel/ports/runtime.ts'
import { startModelServer, type ModelServer } from '../../agent/test/model-server.suite.ts'
import { chooseStore, STORES } from '../../../../test/helpers/postgres-stores.ts'
import { IS_WHOLE } from '../../../../test/some-of.ts'
import { carryOut, openForCrash } from './carry-out.suite.ts'
import { ONCE, REPEATABLE } from './crash-document.suite.ts'
import { live } from './dying.suite.ts'

/** Around every commit of the driver, of a call's intent and outcome and of a decision, and around what a tool server is sent. */
const POINTS = [
  'step.before',
  'step.after',
  'intent.before',
  'intent.after',
  'upstream.before',
  'upstream.after',
  'outcome.before',
  'outcome.after',
  'decision.before',
  'decision.after',
] as const satisfies readonly ProbePoint[]

const root = graveyard()
let model: ModelServer
beforeAll(async () => {
  model = await startModelServer()
  model.say = () => ({ text: '{"text":"parsed"}' })
})
afterAll(async () => {
  await model.close()
  rmSync(root, { recursive: true, force: true })
})

/** What the last gate left is enough for another one to end the run. */
async function continues(folder: string, where: string): Promise<void> {
  const rig = await openForCrash(folder, model.url)
  try {
    expect(await carryOut(rig), where).toMatchObject({ status: 'done' })
    const effects = rig.effects()
    for (const text of ONCE)
      expect(
        effects.filter((line) => line.includes(text)),
        `${where}: ${text}`,
      ).toHaveLength(1)
    const repeatable = effects.filter((line) => line.includes(REPEATABLE))
    expect(repeatable.length, where).toBeGreaterThan(0)
    expect(effects, where).toHaveLength(ONCE.length + repeatable.length)
    expect(await rig.gate.audit.verify([]), where).toMatchObject({ ok: true })
  } finally {
    await rig.close()
  }
}

const SOME = [
  { point: 'step.before', nth: 3 },
  { point: 'outcome.before', nth: 4 },
  { point: 'upstream.before', nth: 1 },
] as const

describe('a run whose gate is killed', () => {
  let left: readonly Left[]
  beforeAll(async () => {
    const folder = join(root, 'live')
    left = await leftBy(
      folder,
      (dying) => live({ folder, model: model.url }, dying),
      (at, time) => IS_WHOLE || SOME.some(({ point, nth }) => point === at && nth === time),
    )
  })

  const times = (point: ProbePoint) => left.filter((one) => one.point === point)

  test.skipIf(IS_WHOLE).each(SOME)(
    'at $point, time $nth, continues after the restart, and nothing happens twice',
    async ({ point, nth }) => {
      const [one] = times(point)
      expect(one?.nth).toBe(nth)
      await continues(one?.folder ?? '', `killed at ${point}, time ${nth}`)
    },
  )

  test.runIf(IS_WHOLE).each(POINTS)(
    'at any visit of %s continues after the restart, and nothing happens twice',
    { timeout: 900_000 },
    async (point) => {
      expect(times(point).length).toBeGreaterThan(1)
      for (const { nth, folder } of times(point)) await continues(folder, `killed at ${point}, time ${nth}`)
    },
  )
})

/** Nobody can copy what a kill leaves in a database. There a dead boot keeps its lease for five seconds. */
describe.each(STORES.filter((store) => store !== 'embedded'))('a run whose gate is killed (%s)', (store) => {
  test.each(POINTS)(
    'at some visits of %s continues after the restart, and nothing happens twice',
    { timeout: 900_000 },
    async (point) => {
      const pace = store === 'postgres with redis' ? 9 : 5
      for (let nth = 1; ; nth += pace) {
        // A folder and its keys belong to one store.
        await chooseStore(store)
        const where = `killed at ${point}, time ${nth}`
        const order = { folder: join(root, `${store} ${point} ${nth}`), model: model.url }
        const died = await dieIn(join(import.meta.dirname, 'dying.suite.ts'), { at: point, nth }, order)
        if (died.out.includes('survived')) return expect(nth).toBeGreaterThan(1)
        expect(died.out, `${where}: ${died.err}`).toContain('died')
        await continues(order.folder, where)
      }
    },
  )
})
