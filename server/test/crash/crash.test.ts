import { rmSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ProbePoint } from '../../src/kernel/ports/runtime.ts'
import type { CallState } from '../../src/kernel/contract/call.ts'
import { join } from 'node:path'
import { APPROVER, approveRetry, effectsIn, until, type GateRig } from '../helpers/with-gate.ts'
import { someOf } from '../some-of.ts'
import { afterDeath, lookAgain, settles } from './after-death.ts'
import { stateOf, theCall } from './call-in-audit.ts'
import { dieIn, graveyard } from './dying.ts'
import type { CallScenario } from './dying-call.ts'

/** The crash point, the state of the call after the restart, and how often the tool had run. */
type Death = {
  readonly at: ProbePoint
  readonly becomes: CallState | 'absent'
  readonly ran: number
  /** The call is started beside the commit, so it may be recorded as started by then: then it is unknown. */
  readonly may_have_started?: true
}

const DIRECT: readonly Death[] = [
  { at: 'intent.before', becomes: 'absent', ran: 0 },
  { at: 'intent.after', becomes: 'unknown', ran: 0 },
  { at: 'upstream.before', becomes: 'unknown', ran: 0 },
  { at: 'upstream.after', becomes: 'unknown', ran: 1 },
  { at: 'outcome.before', becomes: 'unknown', ran: 1 },
  { at: 'outcome.after', becomes: 'executed', ran: 1 },
]

const HELD: readonly Death[] = [
  { at: 'decision.before', becomes: 'pending', ran: 0 },
  { at: 'decision.after', becomes: 'executed', ran: 1 },
  { at: 'step.before', becomes: 'executed', ran: 1 },
  { at: 'step.after', becomes: 'executed', ran: 1, may_have_started: true },
  { at: 'intent.before', becomes: 'executed', ran: 1 },
  { at: 'intent.after', becomes: 'unknown', ran: 0 },
  { at: 'upstream.before', becomes: 'unknown', ran: 0 },
  { at: 'upstream.after', becomes: 'unknown', ran: 1 },
  { at: 'outcome.before', becomes: 'unknown', ran: 1 },
  { at: 'outcome.after', becomes: 'executed', ran: 1 },
]

const IDEMPOTENT: readonly Death[] = [
  { at: 'intent.after', becomes: 'executed', ran: 1 },
  { at: 'upstream.before', becomes: 'executed', ran: 1 },
  { at: 'upstream.after', becomes: 'executed', ran: 2 },
  { at: 'outcome.before', becomes: 'executed', ran: 2 },
]

/** Nobody has to settle a read: it changed nothing, whether or not it was sent. */
const READING: readonly Death[] = [
  { at: 'intent.after', becomes: 'failed', ran: 0 },
  { at: 'upstream.before', becomes: 'failed', ran: 0 },
  { at: 'upstream.after', becomes: 'failed', ran: 0 },
  { at: 'outcome.before', becomes: 'failed', ran: 0 },
]

/** What the next gate finds and does, given what the last one left. */
async function check(rig: GateRig, { becomes: usually, ran, may_have_started }: Death): Promise<void> {
  const call_id = await theCall(rig)
  if (usually === 'absent') return expect(call_id).toBeUndefined()
  const id = call_id ?? 'no call was recorded'
  if (may_have_started) await until(async () => ['unknown', usually].includes(await stateOf(rig, id)))
  const becomes = may_have_started && (await stateOf(rig, id)) === 'unknown' ? 'unknown' : usually
  await settles(rig, id, becomes, becomes === usually ? ran : effectsIn(rig.folder).length)
  expect(effectsIn(rig.folder).length).toBeLessThanOrEqual(ran)
  const { items } = await rig.gate.approvals.list(APPROVER, 'pending', { limit: 10 })
  const unknown = await rig.gate.calls.listUnknown(APPROVER, { limit: 10 })
  // Calls that have not ended are offered to a person, and no others.
  expect(items).toHaveLength(becomes === 'pending' ? 1 : 0)
  expect(unknown.ok && unknown.value.items.map((row) => row.call_id)).toEqual(becomes === 'unknown' ? [call_id] : [])
}

describe.each([
  { scenario: 'direct', deaths: DIRECT },
  { scenario: 'held', deaths: HELD },
  { scenario: 'idempotent', deaths: someOf(IDEMPOTENT, 2) },
  { scenario: 'reading', deaths: someOf(READING, 2) },
  { scenario: 'reading held', deaths: someOf(READING, 4) },
] as const)('a $scenario call whose gate is killed', ({ scenario, deaths }) => {
  test.each(deaths)('at $at is $becomes after the restart and has run $ran times', (death) =>
    afterDeath(scenario, death.at, (rig) => check(rig, death)),
  )
})

const REAL = [
  ['direct', DIRECT, 'upstream.after'],
  ['direct', DIRECT, 'intent.before'],
  ['held', HELD, 'decision.after'],
  ['held', HELD, 'outcome.after'],
] as const satisfies readonly (readonly [CallScenario, readonly Death[], ProbePoint])[]

test.each(someOf(REAL, 2))('a real kill of a %s call leaves nothing else', async (scenario, deaths, at) => {
  const root = graveyard()
  try {
    const folder = join(root, 'killed')
    const died = await dieIn(join(import.meta.dirname, 'dying-call.ts'), { at }, { folder, scenario })
    expect(died).toMatchObject({ signal: 'SIGKILL', out: `died at ${at}, time 1\n` })
    for (const death of deaths.filter((one) => one.at === at)) await lookAgain(folder, (rig) => check(rig, death))
  } finally {
    rmSync(root, { recursive: true })
  }
})

/** The tool has run the call once, and its retry is approved. */
const RETRIED: readonly Death[] = [
  { at: 'decision.before', becomes: 'unknown', ran: 1 },
  { at: 'decision.after', becomes: 'executed', ran: 2 },
  { at: 'intent.before', becomes: 'executed', ran: 2 },
  { at: 'intent.after', becomes: 'unknown', ran: 1 },
  { at: 'upstream.before', becomes: 'unknown', ran: 1 },
  { at: 'upstream.after', becomes: 'unknown', ran: 2 },
  { at: 'outcome.before', becomes: 'unknown', ran: 2 },
  { at: 'outcome.after', becomes: 'executed', ran: 2 },
]

describe('the approved retry of a call whose gate is killed', () => {
  test.each(someOf(RETRIED, 2))(
    'at $at is $becomes after the restart and has run $ran times, and a used approval retries nothing',
    async ({ at, becomes, ran }) => {
      for (const first of someOf(['retry of held', 'retry of direct'] as const, 2))
        await afterDeath(first, at, async (rig) => {
          const call_id = (await theCall(rig)) ?? ''
          await settles(rig, call_id, becomes, ran)
          const { items } = await rig.gate.approvals.list(APPROVER, 'pending', { limit: 10 })
          expect(items).toHaveLength(at === 'decision.before' ? 1 : 0)
          if (becomes !== 'unknown') return
          expect(await approveRetry(rig.gate, APPROVER, call_id)).toMatchObject({ ok: true })
          await settles(rig, call_id, 'executed', ran + 1)
        })
    },
  )
})

describe('a person settles a call with an unknown outcome', () => {
  const SETTLED = [
    { as: 'retry', becomes: 'executed', ran: 2 },
    { as: 'done', becomes: 'executed', ran: 1 },
    { as: 'failed', becomes: 'failed', ran: 1 },
  ] as const
  test.each(SETTLED)('as $as: it is $becomes and has run $ran times', async ({ as, becomes, ran }) => {
    for (const scenario of ['direct', 'held'] as const) {
      await afterDeath(scenario, 'upstream.after', async (rig) => {
        const call_id = (await theCall(rig)) ?? ''
        await settles(rig, call_id, 'unknown', 1)
        const { gate } = rig
        const settled =
          as === 'retry' ? approveRetry(gate, APPROVER, call_id) : gate.calls.settle(APPROVER, call_id, as)
        expect(await settled).toMatchObject({ ok: true })
        await settles(rig, call_id, becomes, ran)
        expect(await rig.gate.calls.settle(APPROVER, call_id, 'retry')).toMatchObject({
          problem: { code: 'call.not_unknown' },
        })
        expect(effectsIn(rig.folder)).toHaveLength(ran)
      })
    }
  })

  test('an agent cannot', async () => {
    await afterDeath('direct', 'upstream.after', async (rig) => {
      const call_id = (await theCall(rig)) ?? ''
      expect(await rig.gate.calls.settle({ kind: 'agent', id: 'agent:a', user: 'ana' }, call_id, 'done')).toMatchObject(
        {
          problem: { code: 'auth.forbidden' },
        },
      )
    })
  })
})
