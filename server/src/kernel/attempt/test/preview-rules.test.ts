import { expect, test } from 'vitest'
import {
  BOOK_TOOLS,
  APPROVER,
  pendingOf,
  withGate,
  type GateRig,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

const rule = (effect: string, more = 'preview: true') =>
  `rules: [{ id: tried, effect: ${effect}, ${more}, match: { tool: 'book__note*' }, says: tried first }]`
/** A dry run that nobody declared free of effects. */
const DECLARED = {
  server: { tools: { ...BOOK_TOOLS, note: { effects: ['write'], dry_run: { args: { dry_run: true } } } } },
}
const typesOf = async ({ gate }: GateRig) =>
  (await gate.audit.page(undefined, 1, 1000)).map(({ type }) => type).filter((type) => type.startsWith('call.'))

test('a rule that allows with a preview makes a dry run first, and a failing dry run stops the call', () =>
  withGate(
    async (rig) => {
      expect(await rig.call('book__note', { text: 'fine' })).toMatchObject({ status: 'executed' })
      expect(await typesOf(rig)).toEqual(['call.previewed', 'call.started', 'call.executed'])
      expect(await rig.call('book__note', { text: 'impossible' })).toMatchObject({
        status: 'failed',
        problem: { code: 'call.dry_run_failed' },
      })
      expect(rig.effects()).toEqual(['note {"text":"fine"}'])
    },
    { policy: rule('allow'), ...DECLARED },
  ))

test('without `preview` no dry run is made, and a tool without a dry run is executed directly', async () => {
  await withGate(
    async (rig) => {
      expect(await rig.call('book__note', { text: 'impossible' })).toMatchObject({ status: 'executed' })
      expect(await typesOf(rig)).toEqual(['call.started', 'call.executed'])
    },
    { policy: rule('allow', 'preview: false') },
  )
  await withGate(
    async (rig) => {
      expect(await rig.call('book__note_again', { text: 'x' })).toMatchObject({ status: 'executed' })
      expect(await typesOf(rig)).toEqual(['call.started', 'call.executed'])
    },
    { policy: rule('allow') },
  )
})

test('before an approval only a dry run that was declared free of effects is made; every other follows the approval', async () => {
  await withGate(
    async (rig) => {
      const held = pendingOf(await rig.call('book__note', { text: 'fine' }))
      const doomed = pendingOf(await rig.call('book__note', { text: 'impossible' }))
      expect(await typesOf(rig)).toEqual(['call.held', 'call.held'])
      for (const { approval_id } of [held, doomed]) await approveShown(rig.gate, APPROVER, approval_id)
      expect(await rig.outcome(held.call_id)).toMatchObject({ status: 'executed' })
      expect(await rig.outcome(doomed.call_id)).toMatchObject({
        status: 'failed',
        problem: { code: 'call.dry_run_failed' },
      })
      expect(rig.effects()).toEqual(['note {"text":"fine"}'])
      expect((await typesOf(rig)).filter((type) => type === 'call.previewed')).toHaveLength(2)
    },
    { policy: rule('ask'), ...DECLARED },
  )
  await withGate(
    async (rig) => {
      const held = pendingOf(await rig.call('book__note', { text: 'fine' }))
      await approveShown(rig.gate, APPROVER, held.approval_id)
      expect(await rig.outcome(held.call_id)).toMatchObject({ status: 'executed' })
      // The approver has seen the dry run, so it is not repeated.
      expect((await typesOf(rig)).filter((type) => type === 'call.previewed')).toHaveLength(1)
      expect(await rig.call('book__note', { text: 'impossible' })).toMatchObject({ status: 'failed' })
    },
    { policy: rule('ask') },
  )
})

test('in observe mode a rule makes no dry run', () =>
  withGate(
    async (rig) => {
      expect(await rig.call('book__note', { text: 'impossible' })).toMatchObject({ status: 'executed' })
    },
    { policy: `preset: observe\n${rule('ask')}` },
  ))
