import { describe, expect, test } from 'vitest'
import { ADMIN, APPROVER, approveRetry, effectsIn, until, type GateRig } from '../helpers/with-gate.ts'
import { someOf } from '../some-of.ts'
import { afterDeath, settles } from './after-death.ts'
import { stateOf, theCall } from './call-in-audit.ts'

async function entriesOf(rig: GateRig, type: string): Promise<number> {
  return (await rig.gate.audit.page(undefined, 1, 1000)).filter((entry) => entry.type === type).length
}

async function verifiedOf(rig: GateRig, call_id: string): Promise<unknown> {
  const read = await rig.gate.calls.read(ADMIN, call_id)
  return read.ok && read.value.status === 'executed' ? read.value.verified : undefined
}

describe.each(['verified direct', 'verified held'] as const)('a %s call whose gate is killed', (scenario) => {
  test.each(someOf(['verify.before', 'outcome.after', 'verify.after'] as const, 2))(
    'at %s keeps its outcome, has run once, and is read back after the restart',
    async (at) => {
      await afterDeath(scenario, at, async (rig) => {
        const call_id = (await theCall(rig)) ?? ''
        expect(await stateOf(rig, call_id)).toBe('executed')
        await until(async () => (await verifiedOf(rig, call_id)) === true)
        await settles(rig, call_id, 'executed', 1)
        expect([await entriesOf(rig, 'call.executed'), await entriesOf(rig, 'call.verified')]).toEqual([1, 1])
        expect(await rig.gate.calls.listUnknown(APPROVER, { limit: 10 })).toMatchObject({
          ok: true,
          value: { items: [] },
        })
      })
    },
  )

  test('at upstream.after is unknown, and its effect is not reported', async () => {
    await afterDeath(scenario, 'upstream.after', async (rig) => {
      const call_id = (await theCall(rig)) ?? ''
      await settles(rig, call_id, 'unknown', 1)
      expect(await entriesOf(rig, 'call.verify_started')).toBe(0)
    })
  })
})

describe('a check that a kill interrupts', () => {
  test('leaves no call behind when nobody waits for it', async () => {
    await afterDeath('verified direct', 'check.before', async (rig) => {
      expect(await stateOf(rig, (await theCall(rig)) ?? '')).toBe('call.unknown')
      expect(await entriesOf(rig, 'call.check_started')).toBe(1)
      expect(effectsIn(rig.folder)).toEqual([])
    })
  })

  test('is made again for an approved call, which then runs once', async () => {
    await afterDeath('verified held', 'check.before', async (rig) => {
      const call_id = (await theCall(rig)) ?? ''
      await settles(rig, call_id, 'executed', 1)
      await until(async () => (await verifiedOf(rig, call_id)) === true)
      expect(await entriesOf(rig, 'call.check_started')).toBe(2)
    })
  })
})

test('a retry whose check fails, because the first attempt took effect, runs nothing and asks a person again', async () => {
  for (const scenario of ['verified direct', 'verified held'] as const)
    await afterDeath(scenario, 'upstream.after', async (rig) => {
      const call_id = (await theCall(rig)) ?? ''
      await settles(rig, call_id, 'unknown', 1)
      expect(await approveRetry(rig.gate, APPROVER, call_id)).toMatchObject({ ok: true })
      await until(async () => (await entriesOf(rig, 'call.stopped')) === 1)
      await settles(rig, call_id, 'unknown', 1)
      expect(await rig.gate.calls.read(ADMIN, call_id)).toMatchObject({
        value: {
          problem: {
            code: 'call.not_retried',
            about: { retry: 'call.check_failed', because: 'book__find_note: not true: `found` equals false' },
          },
        },
      })
      expect(await rig.gate.calls.listUnknown(APPROVER, { limit: 10 })).toMatchObject({
        value: { items: [{ call_id }] },
      })
      expect(await rig.gate.calls.settle(APPROVER, call_id, 'done')).toMatchObject({ ok: true })
      await settles(rig, call_id, 'executed', 1)
    })
})
