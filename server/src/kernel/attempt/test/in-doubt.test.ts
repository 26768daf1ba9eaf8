import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Outcome } from '../../contract/call.ts'
import type { Death } from '../../../adapters/stores/ledger-doubts.suite.ts'
import { IS_WHOLE, someOf } from '../../../../test/some-of.ts'
import {
  ADMIN,
  APPROVER,
  pendingOf,
  until,
  withGate,
  type GateRig,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

const writer = new URL('../../../adapters/stores/sqlite/dying-worker.suite.ts', import.meta.url)
const ledgerOf = ({ folder }: GateRig) => join(folder, 'data', 'ledger.sqlite')
/** Makes the ledger's thread die while it stores something that contains this text. */
const dieAt = (rig: GateRig, death: Death, text: string) => writeFileSync(`${ledgerOf(rig)}.death`, `${death}\n${text}`)
/** From now on no new thread starts, until it is called again. */
const keepAway = (rig: GateRig) => {
  writeFileSync(`${ledgerOf(rig)}.away`, '')
  return () => rmSync(`${ledgerOf(rig)}.away`)
}
const note = (rig: GateRig, text: string) => rig.call('book__note_again', { text })
const notes = (rig: GateRig, text: string) => rig.effects().filter((line) => line.includes(text))
const executing = async (rig: GateRig) => {
  const entries = await rig.gate.audit.page(undefined, 1, 1000)
  const open = new Set<unknown>()
  for (const { type, subject } of entries) {
    if (type === 'call.allowed' || type === 'call.started') open.add(subject['call'])
    if (['call.executed', 'call.failed', 'call.stopped'].includes(type)) open.delete(subject['call'])
  }
  return open.size
}
const isBackSoon = async (rig: GateRig) => {
  await until(() => rig.gate.closedBy() === undefined)
  expect(await note(rig, 'afterwards')).toMatchObject({ status: 'executed' })
  expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
}

test.each(someOf(['after commit', 'commit fails, stored'] as const, 2))(
  'intent, %s: once its state is known the call continues, and runs once',
  async (death) => {
    await withGate(
      async (rig) => {
        dieAt(rig, death, 'first')
        expect(await note(rig, 'first')).toMatchObject({ status: 'executed' })
        expect(notes(rig, 'first')).toHaveLength(1)
        await isBackSoon(rig)
      },
      { writer },
    )
  },
)

test.each(someOf(['before commit', 'on arrival', 'commit fails, nothing stored'] as const, 3))(
  'intent, %s: the call is not recorded and not sent',
  async (death) => {
    await withGate(
      async (rig) => {
        dieAt(rig, death, 'first')
        expect(await note(rig, 'first')).toMatchObject({ status: 'refused', problem: { code: 'audit.unavailable' } })
        expect(notes(rig, 'first')).toHaveLength(0)
        await isBackSoon(rig)
      },
      { writer },
    )
  },
)

test('a call whose intent stays in doubt is not sent; the gate accepts no calls meanwhile, then closes the row and continues', async () => {
  await withGate(
    async (rig) => {
      const comeBack = keepAway(rig)
      dieAt(rig, 'after commit', 'first')
      const first = note(rig, 'first')
      await until(() => rig.gate.closedBy() !== undefined)
      expect(rig.gate.closedBy()?.code).toBe('audit.in_doubt')
      expect(await note(rig, 'second')).toMatchObject({ status: 'refused', problem: { code: 'audit.in_doubt' } })
      const refused: Outcome = await first
      if (refused.status !== 'refused') throw new Error(JSON.stringify(refused))
      expect(refused.problem).toMatchObject({ code: 'audit.in_doubt', about: { sent: 'no' } })
      const call_id = refused.problem.about['call_id'] ?? ''
      expect(await rig.gate.calls.read(ADMIN, call_id)).toMatchObject({ ok: true, value: { status: 'executing' } })
      comeBack()
      await isBackSoon(rig)
      expect(await rig.outcome(call_id)).toMatchObject({ status: 'failed', problem: { code: 'audit.in_doubt' } })
      expect(notes(rig, 'first')).toHaveLength(0)
      expect(notes(rig, 'second')).toHaveLength(0)
      expect(await executing(rig)).toBe(0)
    },
    { writer },
  )
})

test.runIf(IS_WHOLE)(
  'a held call whose record stays in doubt is withdrawn once it turns out to be stored',
  async () => {
    await withGate(
      async (rig) => {
        const comeBack = keepAway(rig)
        dieAt(rig, 'after commit', 'held one')
        expect(await rig.call('book__note', { text: 'held one' })).toMatchObject({
          status: 'refused',
          problem: { code: 'audit.in_doubt' },
        })
        comeBack()
        await isBackSoon(rig)
        const pending = () => rig.gate.approvals.list(APPROVER, 'pending', { limit: 10 })
        await until(async () => !JSON.stringify(await pending()).includes('held one'))
        expect(notes(rig, 'held one').filter((line) => !line.includes('dry'))).toHaveLength(0)
      },
      { writer },
    )
  },
  30_000,
)

const DEATHS = [
  'on arrival',
  'before commit',
  'after commit',
  'commit fails, nothing stored',
  'commit fails, stored',
] as const
test.each(someOf(DEATHS, 4))('outcome, %s: it is recorded once, and the call runs once', async (death) => {
  await withGate(
    async (rig) => {
      dieAt(rig, death, 'call.executed')
      const outcome = await note(rig, 'first')
      if (!('call_id' in outcome) || outcome.call_id === undefined) throw new Error(JSON.stringify(outcome))
      expect(['executed', 'unknown']).toContain(outcome.status)
      const { call_id } = outcome
      expect(await rig.outcome(call_id)).toMatchObject({ status: 'executed' })
      expect(notes(rig, 'first')).toHaveLength(1)
      await isBackSoon(rig)
      const entries = await rig.gate.audit.page(undefined, 1, 1000)
      const ends = entries.filter(({ type, subject }) => type === 'call.executed' && subject['call'] === call_id)
      expect(ends).toHaveLength(1)
    },
    { writer },
  )
})

test('an outcome that stays in doubt is kept in memory and recorded when the ledger is back', async () => {
  await withGate(
    async (rig) => {
      const comeBack = keepAway(rig)
      dieAt(rig, 'before commit', 'call.executed')
      const outcome = await note(rig, 'first')
      expect(outcome).toMatchObject({ status: 'unknown', problem: { code: 'audit.in_doubt' } })
      comeBack()
      if (outcome.status !== 'unknown') return
      await until(async () => (await rig.outcome(outcome.call_id)).status === 'executed')
      expect(notes(rig, 'first')).toHaveLength(1)
      await isBackSoon(rig)
    },
    { writer },
  )
})

test.runIf(IS_WHOLE)(
  'an approved call whose start stays in doubt is not sent, and ends',
  async () => {
    await withGate(
      async (rig) => {
        const { call_id, approval_id } = pendingOf(await rig.call('book__note', { text: 'approved' }))
        const comeBack = keepAway(rig)
        dieAt(rig, 'after commit', 'call.started')
        expect(await approveShown(rig.gate, APPROVER, approval_id)).toMatchObject({ ok: true })
        await until(() => rig.gate.closedBy() !== undefined)
        // Longer than a commit in doubt is waited for.
        await new Promise((resolve) => setTimeout(resolve, 6_000))
        comeBack()
        await until(async () => (await rig.outcome(call_id)).status === 'refused')
        await isBackSoon(rig)
      },
      { writer },
    )
  },
  30_000,
)
