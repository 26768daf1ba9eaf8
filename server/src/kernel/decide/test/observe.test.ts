import { expect, test } from 'vitest'
import { ADMIN, AGENT, withGate, type GateRig } from '../../../../test/helpers/with-gate.ts'

const OBSERVE = `
preset: observe
rules:
  - { id: no-wiping, effect: block, match: { tool: book__wipe }, says: nobody wipes the book }
`
const BAIT = 'honey-token-4711-abcdef'

async function lastVerdict({ gate }: GateRig) {
  const entries = await gate.audit.page(undefined, 1, 1000)
  return entries.findLast(({ verdict }) => verdict !== undefined)?.verdict
}

test('observe mode lets every call run and records what would have happened', async () => {
  await withGate(
    async (rig) => {
      expect(await rig.call('book__look')).toMatchObject({ status: 'executed' })
      expect(await lastVerdict(rig)).toMatchObject({ effect: 'allow', observed: 'allow' })
      expect(await rig.call('book__note', { text: 'x' })).toMatchObject({ status: 'executed' })
      expect(await lastVerdict(rig)).toMatchObject({ effect: 'allow', observed: 'ask' })
      expect(await rig.call('book__wipe', { text: 'x' })).toMatchObject({ status: 'executed' })
      const verdict = await lastVerdict(rig)
      expect(verdict).toMatchObject({ effect: 'allow', observed: 'block' })
      expect(verdict?.evidence).toContainEqual(expect.objectContaining({ rule: 'no-wiping', effect: 'block' }))
      expect(rig.effects()).toHaveLength(2)
      const shown = rig.gate.policies.show(ADMIN)
      expect(shown).toMatchObject({ ok: true, value: { preset: 'observe', mode: 'observe' } })
      expect(shown.ok && shown.value.reads).toContain('only traps, integrity failures and pauses are enforced')
      const loaded = (await rig.gate.audit.page(undefined, 1, 1)).at(0)
      expect(loaded).toMatchObject({ type: 'policy.loaded', about: { mode: 'observe' } })
    },
    { policy: OBSERVE },
  )
})

test('observe mode still enforces pauses, forged hashes and traps', async () => {
  process.env['OBSERVE_BAIT'] = BAIT
  await withGate(
    async (rig) => {
      const forged = await rig.call('book__note', { text: 'x' }, { claimed: { hash: '0'.repeat(64) } })
      expect(forged).toMatchObject({ status: 'refused', problem: { code: 'call.integrity_mismatch' } })
      expect((await lastVerdict(rig))?.observed).toBeUndefined()
      await rig.gate.pauses.set(ADMIN, { scope: 'all', effect: 'block', active: true, reason: '' })
      expect(await rig.call('book__note', { text: 'y' })).toMatchObject({ status: 'refused' })
      await rig.gate.pauses.set(ADMIN, { scope: 'all', effect: 'ask', active: true, reason: '' })
      expect(await rig.call('book__note', { text: 'y' })).toMatchObject({ status: 'pending' })
      await rig.gate.pauses.set(ADMIN, { scope: 'all', effect: 'ask', active: false, reason: '' })
      expect(await rig.call('book__note', { text: BAIT })).toMatchObject({ status: 'refused' })
      expect(await lastVerdict(rig)).toMatchObject({ effect: 'block' })
      expect(rig.effects()).toEqual([])
      // The caller that used the honey token stays quarantined; another one is not affected.
      expect(await rig.call('book__look')).toMatchObject({ status: 'refused' })
      const other = { ...AGENT, id: 'agent:b' }
      expect(await rig.call('book__look', {}, { caller: other })).toMatchObject({ status: 'executed' })
    },
    { policy: OBSERVE, config: { traps: { tokens: ['env:OBSERVE_BAIT'] } } },
  )
})
