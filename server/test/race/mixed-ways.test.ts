import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { approveShown, APPROVER, effectsIn, openTestGate, pendingOf, USER } from '../helpers/with-gate.ts'
import { IS_WHOLE } from '../some-of.ts'
import { allEntries, race } from './race.ts'

/** One approval in several ways at once, each in a separate process. */
const TIMES = '20'

let folder = ''
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'sluice-mixed-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('of a token, the role, and an edit that race for one request, exactly one succeeds, also after a restart', async () => {
  const before = await openTestGate(folder)
  const { approval_id, call_id } = pendingOf(await before.call('book__note', { text: 'x' }))
  const token = await before.gate.approvals.issueToken(USER, approval_id)
  if (!token.ok) throw new Error(token.problem.code)
  await before.opened.close()

  const ways = ['token', 'role', 'edit']
  const total = await race(
    'approval-racer.ts',
    ways.map((way) => [folder, approval_id, way, TIMES, token.value]),
  )
  expect(total).toMatchObject({ approved: 1 })
  const [ran, ...more] = effectsIn(folder)
  expect(more).toEqual([])
  expect(['note {"text":"x"}', 'note {"text":"edited"}']).toContain(ran)

  const after = await openTestGate(folder)
  expect(await after.outcome(call_id)).toMatchObject({ status: 'executed' })
  const again = { approval_id, token: token.value, thread: 't1', says: 'approve' } as const
  expect(await after.gate.approvals.redeemToken(USER, again)).toMatchObject({ ok: false })
  expect(await approveShown(after.gate, APPROVER, approval_id)).toMatchObject({ ok: false })
  expect(await after.gate.approvals.edit(APPROVER, approval_id, { text: 'later' })).toMatchObject({ ok: false })
  const entries = await allEntries(after.gate)
  expect(entries.filter(({ type }) => type === 'call.started')).toHaveLength(1)
  expect(await after.gate.audit.verify([])).toMatchObject({ ok: true })
  expect(effectsIn(folder)).toHaveLength(1)
  await after.opened.close()
}, 120_000)

test.skipIf(!IS_WHOLE)(
  'racing orders to retry a call with an unknown outcome are one request, which is used once; the used approval does not work again',
  async () => {
    const before = await openTestGate(folder, { server: { timeout_ms: 200 } })
    const { approval_id, call_id } = pendingOf(await before.call('book__slow_note', { text: 'x', ms: 1_000 }))
    expect(await approveShown(before.gate, APPROVER, approval_id)).toMatchObject({ ok: true })
    expect(await before.outcome(call_id)).toMatchObject({ status: 'unknown' })
    await before.opened.close()
    expect(effectsIn(folder)).toHaveLength(1)

    const { 'approval.not_pending': spent, ...ordered } = await race(
      'approval-racer.ts',
      ['retry', 'retry', 'role'].map((way) => [folder, way === 'role' ? approval_id : call_id, way, TIMES]),
    )
    expect([spent, ...Object.values(ordered)]).toEqual([Number(TIMES), 2 * Number(TIMES)])
    expect(effectsIn(folder)).toHaveLength(1)
    const [retry = ''] = Object.keys(ordered)
    const total = await race(
      'approval-racer.ts',
      Array.from({ length: 2 }, () => [folder, retry, 'role', TIMES]),
    )
    expect(total).toEqual({ approved: 1, 'approval.not_pending': 2 * Number(TIMES) - 1 })
    expect(effectsIn(folder)).toHaveLength(2)
    const after = await openTestGate(folder)
    expect(await after.outcome(call_id)).toMatchObject({ status: 'executed' })
    expect(await after.gate.calls.settle(APPROVER, call_id, 'retry')).toMatchObject({
      problem: { code: 'call.not_unknown' },
    })
    await after.opened.close()
  },
  120_000,
)
