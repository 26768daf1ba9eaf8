import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { copyLive, filesBelow } from '../../../../test/live-files.ts'
import type { Outcome } from '../../contract/call.ts'
import { ADMIN, AGENT, APPROVER, openTestGate, pendingOf, type GateRig } from '../../../../test/helpers/with-gate.ts'

vi.setConfig({ testTimeout: 60_000 })
const DAY = 86_400_000
const PLANTED = 'planted-private-text'

let folder: string
let rig: GateRig
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  folder = mkdtempSync(join(tmpdir(), 'sluice-retention-'))
  rig = await openTestGate(folder, OPTIONS)
})
afterEach(async () => {
  await rig.opened.close()
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})
const OPTIONS = {
  policy: `
rules:
  - { id: harmless, effect: allow, match: { tool: [book__echo, book__big, book__note_again, book__fails] }, says: harmless }
`,
}
const pass = (days: number) => vi.setSystemTime(Date.now() + days * DAY)
const BEN = { kind: 'agent', id: 'agent:ben', user: 'ben' } as const
const asBen = { caller: BEN }

/** Every file of the data folder that contains the text. */
function filesWith(text: string): string[] {
  const data = join(folder, 'data')
  return filesBelow(data)
    .filter(({ bytes }) => bytes.includes(text))
    .map(({ path }) => path.slice(data.length + 1))
}
const settled = async () => void (await rig.gate.audit.presentCheckpoint())
const callIdOf = (outcome: Outcome) => ('call_id' in outcome ? (outcome.call_id ?? '') : '')

async function plant(): Promise<{ executed: string; failed: string; denied: string; edited: string; pending: string }> {
  const executed = await rig.call('book__echo', { text: `${PLANTED} echo` }, { idempotency_key: 'once' })
  const failed = await rig.call('book__fails', { text: `${PLANTED} fails` })
  const held = pendingOf(await rig.call('book__note', { text: `${PLANTED} denied` }))
  await rig.gate.approvals.decide(APPROVER, held.approval_id, { says: 'deny', reason: `${PLANTED} reason` })
  const edited = pendingOf(await rig.call('book__note', { text: `${PLANTED} before` }))
  const again = await rig.gate.approvals.edit(APPROVER, edited.approval_id, { text: `${PLANTED} after` })
  if (!again.ok) throw new Error(again.problem.code)
  await rig.gate.approvals.decide(APPROVER, again.value.approval_id, { says: 'deny' })
  const pending = pendingOf(await rig.call('book__note', { text: 'still-wanted' }))
  return {
    executed: callIdOf(executed),
    failed: callIdOf(failed),
    denied: held.call_id,
    edited: edited.call_id,
    pending: pending.call_id,
  }
}

test('nothing is removed before it expires', async () => {
  const { executed } = await plant()
  pass(30)
  expect(await rig.opened.sweep()).toEqual({ calls: 0, journals: 0, artifacts: 0 })
  expect(JSON.stringify(await rig.outcome(executed))).toContain(PLANTED)
})

test('arguments and outputs are gone from every file afterwards; the audit verifies and proves as before', async () => {
  const made = await plant()
  await settled()
  expect(filesWith(PLANTED)).not.toEqual([])
  const before = await rig.gate.audit.prove('main', 1)
  pass(32)
  const swept = await rig.opened.sweep()
  expect(swept.calls).toBe(4)
  expect(filesWith(PLANTED)).toEqual([])
  expect(filesWith('still-wanted')).not.toEqual([])
  expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
  expect(await rig.gate.audit.prove('main', 1)).toEqual(before)
  expect(await rig.outcome(made.executed)).toMatchObject({ status: 'executed', expired_at: Date.now() })
  expect(await rig.outcome(made.failed)).toMatchObject({ status: 'failed', expired_at: Date.now() })
  expect(await rig.outcome(made.denied)).toMatchObject({ status: 'refused', expired_at: Date.now() })
  expect(await rig.opened.sweep()).toEqual({ calls: 0, journals: 0, artifacts: 0 })
})

test('a call under the key of an expired one is not made again', async () => {
  const { executed } = await plant()
  pass(40)
  await rig.opened.sweep()
  const effects = rig.effects().length
  expect(await rig.call('book__echo', { text: `${PLANTED} echo` }, { idempotency_key: 'once' })).toMatchObject({
    status: 'refused',
    problem: { code: 'call.expired', about: { call_id: executed, state: 'executed' } },
  })
  expect(rig.effects()).toHaveLength(effects)
})

test('artifacts expire by their own period, and say so', async () => {
  const big = await rig.call('book__big', { size: 60_000 })
  const digest = 'output' in big ? (big.output?.pointer ?? '') : ''
  const pointer = /[0-9a-f]{64}/.exec(digest)?.[0] ?? ''
  expect(await rig.gate.artifacts.read({ caller: AGENT }, pointer, 0, 10)).toMatchObject({ ok: true })
  pass(31)
  expect((await rig.opened.sweep()).artifacts).toBe(1)
  expect(await rig.gate.artifacts.read({ caller: AGENT }, pointer, 0, 10)).toMatchObject({
    problem: { code: 'artifact.expired' },
  })
  expect(await rig.gate.artifacts.read({ caller: BEN }, pointer, 0, 10)).toMatchObject({
    problem: { code: 'artifact.unknown' },
  })
  await rig.call('book__big', { size: 60_000 })
  expect(await rig.gate.artifacts.read({ caller: AGENT }, pointer, 0, 10)).toMatchObject({ ok: true })
})

test('journals of ended runs expire after their own period', async () => {
  await plant()
  pass(32)
  expect((await rig.opened.sweep()).journals).toBe(0)
  pass(60)
  expect((await rig.opened.sweep()).journals).toBeGreaterThan(0)
  const db = new DatabaseSync(join(folder, 'data/ledger.sqlite'), { readOnly: true })
  const left = db
    .prepare(
      "SELECT count(*) AS n FROM events JOIN runs ON run = runs.id WHERE status IN ('done', 'failed', 'cancelled')",
    )
    .get()
  db.close()
  expect(left?.['n']).toBe(0)
})

test('`never` keeps everything', async () => {
  await plant()
  await rig.opened.close()
  rig = await openTestGate(folder, {
    ...OPTIONS,
    config: { retention: { calls: 'never', journals: 'never', artifacts: 'never' } },
  })
  pass(4_000)
  expect(await rig.opened.sweep()).toEqual({ calls: 0, journals: 0, artifacts: 0 })
})

test('erasing a person removes only their data, at once, and reports what is still open', async () => {
  const made = await plant()
  const bens = await rig.call('book__echo', { text: 'of-ben' }, asBen)
  await rig.call('book__big', { size: 60_000 })
  await rig.call('book__big', { size: 60_000 }, asBen)
  await settled()
  expect(await rig.gate.retention.eraseUser(APPROVER, { user: 'ana', withdraw: false })).toMatchObject({
    problem: { code: 'auth.forbidden' },
  })
  const erased = await rig.gate.retention.eraseUser(ADMIN, { user: 'ana', withdraw: false })
  expect(erased).toMatchObject({ ok: true, value: { calls: 5, artifacts: 1, open: [made.pending] } })
  expect(filesWith(PLANTED)).toEqual([])
  expect(filesWith('still-wanted')).not.toEqual([])
  expect(await rig.gate.retention.eraseUser(ADMIN, { user: 'ana', withdraw: true })).toMatchObject({
    ok: true,
    value: { calls: 1, artifacts: 0, open: [] },
  })
  expect(filesWith('still-wanted')).toEqual([])
  expect(await rig.gate.retention.eraseUser(ADMIN, { user: 'ana', withdraw: true })).toMatchObject({
    ok: true,
    value: { calls: 0, runs: 0, habits: 0, artifacts: 0, open: [] },
  })
  expect(JSON.stringify(await rig.outcome(callIdOf(bens)))).toContain('of-ben')
  expect(readdirSync(join(folder, 'data/artifacts')).length).toBe(2)
  expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
  const types = (await rig.gate.audit.page('main', 1, 1_000)).map(({ type }) => type)
  expect(types).toContain('user.erased')
})

test('a process that is killed in the middle of an erasure leaves a valid ledger, and the next one completes it', async () => {
  for (let at = 0; at < 120; at += 1) await rig.call('book__echo', { text: `${PLANTED} ${at}` })
  vi.useRealTimers()
  const db = new DatabaseSync(join(folder, 'data/ledger.sqlite'), { readOnly: true })
  const erased = db.prepare("SELECT count(*) AS n FROM calls WHERE coalesce(later, body) LIKE '%expired_at%'")
  const killed = `${folder}-killed`
  const erasing = rig.gate.retention.eraseUser(ADMIN, { user: 'ana', withdraw: false })
  while (!existsSync(killed)) {
    await setImmediate()
    if (Number(erased.get()?.['n']) > 5) copyLive(folder, killed)
  }
  await erasing
  db.close()
  await rig.opened.close()
  rmSync(folder, { recursive: true })
  folder = killed
  expect(filesWith(PLANTED)).not.toEqual([])
  rig = await openTestGate(folder, OPTIONS)
  expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
  expect(await rig.gate.retention.eraseUser(ADMIN, { user: 'ana', withdraw: false })).toMatchObject({
    ok: true,
    value: { open: [] },
  })
  await rig.opened.close()
  expect(filesWith(PLANTED)).toEqual([])
  rig = await openTestGate(folder, OPTIONS)
})
