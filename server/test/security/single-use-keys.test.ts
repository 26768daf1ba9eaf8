import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { checkRows } from '../../src/main/doctor/doctor.ts'
import { ADMIN, AGENT, approveShown, APPROVER, openTestGate, pendingOf, type GateRig } from '../helpers/with-gate.ts'
import { someOf } from '../some-of.ts'

vi.setConfig({ testTimeout: 60_000 })

/** Somebody who can write the database, and nothing else, wants a request to be carried out a second time. */
let folder = ''
let rig: GateRig
const open = async () => (rig = await openTestGate(folder, { alone: true }))
const start = async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-once-'))
  await open()
}
const restart = async (meanwhile: () => void) => {
  await rig.opened.close()
  meanwhile()
  await open()
}
afterEach(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})

const exec = (sql: string) => {
  const db = new DatabaseSync(join(folder, 'data/ledger.sqlite'), { timeout: 60_000 })
  db.exec(sql)
  db.close()
}
const request = (key: string) => ({
  caller: AGENT,
  tool: 'book__note_again',
  args: { text: `once ${key}` },
  thread: `thread of ${key}`,
  idempotency_key: key,
})
const send = (key: string) => rig.gate.calls.dispatch(request(key))
const spent = async (key: string) => {
  const outcome = await send(key)
  if (outcome.status !== 'executed') throw new Error(outcome.status)
  return outcome.call_id
}
const effectsOf = (text: string) => rig.effects().filter((line) => line.includes(text))
const whenBroken = () =>
  vi.waitFor(() => expect(rig.gate.closedBy()).toMatchObject({ code: 'audit.broken' }), { timeout: 60_000 })
const typesInAudit = async () => (await rig.gate.audit.page(undefined, 1, 1_000)).map(({ type }) => type)

/** Each removes a used key and the rows that also show its use. */
const REMOVALS: Readonly<Record<string, (key: string, call: string) => string>> = {
  'deleted with the row of its call': (key, call) =>
    `DELETE FROM once WHERE key LIKE '%"${key}"%'; DELETE FROM calls WHERE id = '${call}'`,
  'renamed, with the row of its call': (key, call) =>
    `UPDATE once SET key = key || '-' WHERE key LIKE '%"${key}"%'; DELETE FROM calls WHERE id = '${call}'`,
  'replaced by a key without a MAC': (key, call) =>
    `DELETE FROM once WHERE key LIKE '%"${key}"%'; INSERT INTO once (key, until) VALUES ('call other', 9e15); DELETE FROM calls WHERE id = '${call}'`,
  'made to expire, so that it would be purged': (key, call) =>
    `UPDATE once SET until = 1 WHERE key LIKE '%"${key}"%'; DELETE FROM calls WHERE id = '${call}'`,
  'deleted with all keys and their sums': (_, call) =>
    `DELETE FROM once; DELETE FROM once_sums; DELETE FROM calls WHERE id = '${call}'`,
}

describe.each(someOf(Object.entries(REMOVALS), 5))('a used key that was %s', (_, removal) => {
  test('is detected by the running gate before it is used again', async () => {
    await start()
    const call = await spent('mine')
    exec(removal('mine', call))
    // Many at once: those that are queued behind the one that detects it are stopped too.
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => send('mine')))
    expect(outcomes.filter(({ status }) => status === 'executed')).toEqual([])
    await whenBroken()
    expect(effectsOf('once mine')).toHaveLength(1)
    await vi.waitFor(async () => expect(await typesInAudit()).toContain('audit.broken'), 60_000)
  })

  test('is detected at the next start', async () => {
    await start()
    const call = await spent('mine')
    await restart(() => exec(removal('mine', call)))
    await send('mine')
    await whenBroken()
    expect(effectsOf('once mine')).toHaveLength(1)
  })
})

test('an earlier sum that is restored together with the keys of its time is detected at the next start', async () => {
  await start()
  await spent('first')
  const kept = join(folder, 'kept.sqlite')
  exec(`VACUUM INTO '${kept}'`)
  const call = await spent('second')
  await restart(() =>
    exec(`ATTACH '${kept}' AS kept; DELETE FROM once; INSERT INTO once SELECT * FROM kept.once; DELETE FROM once_sums;
      INSERT INTO once_sums SELECT * FROM kept.once_sums; DELETE FROM calls WHERE id = '${call}'`),
  )
  await send('second')
  await whenBroken()
  expect(effectsOf('once second')).toHaveLength(1)
})

/** They run inside the gate's own transactions. */
const TRIGGERS = `
  CREATE TRIGGER forget_keys AFTER INSERT ON once BEGIN DELETE FROM once WHERE key = new.key; END;
  CREATE TRIGGER forget_calls AFTER UPDATE ON calls BEGIN DELETE FROM calls WHERE id = new.id; END`

test.each(['running', 'stopped'])(
  'triggers that were added to the database of a gate that was %s are removed and reported',
  async (when) => {
    await start()
    await spent('before')
    if (when === 'stopped') await restart(() => exec(TRIGGERS))
    else exec(TRIGGERS)
    for (let times = 0; times < 3; times += 1) await send('mine')
    await whenBroken()
    expect(effectsOf('once mine').length).toBeLessThanOrEqual(1)
    expect(await rig.gate.audit.acceptBreak(ADMIN, 'triggers were removed')).toMatchObject({ ok: true })
    await spent('after')
    await spent('after')
    expect(effectsOf('once after')).toHaveLength(1)
  },
)

test('a redeemed approval whose key was deleted approves nothing again', async () => {
  await start()
  const held = pendingOf(await rig.call('book__note', { text: 'redeemed' }))
  await approveShown(rig.gate, APPROVER, held.approval_id)
  expect(await rig.outcome(held.call_id)).toMatchObject({ status: 'executed' })
  exec('DELETE FROM once')
  expect(await approveShown(rig.gate, APPROVER, held.approval_id)).toMatchObject({ ok: false })
  expect(effectsOf('"redeemed"').filter((line) => !line.includes('dry_run'))).toHaveLength(1)
})

test('after an admin accepts the break, calls run again, and the next deletion is detected too', async () => {
  await start()
  await spent('first')
  exec('DELETE FROM once')
  await send('second')
  await whenBroken()
  expect(await rig.gate.audit.acceptBreak(ADMIN, 'the database was edited')).toMatchObject({ ok: true })
  const call = await spent('third')
  await restart(() => undefined)
  await spent('fourth')
  expect(rig.gate.closedBy()).toBeUndefined()
  exec(`DELETE FROM once WHERE key LIKE '%"third"%'; DELETE FROM calls WHERE id = '${call}'`)
  await send('third')
  await whenBroken()
  expect(effectsOf('once third')).toHaveLength(1)
})

test('a key that was inserted by somebody else stops its request and is reported; other calls still run', async () => {
  await start()
  await spent('model')
  exec(
    `INSERT INTO once (key, until) SELECT replace(key, '"model"', '"forged"'), until FROM once WHERE key LIKE '%"model"%'`,
  )
  expect((await send('forged')).status).not.toBe('executed')
  expect(effectsOf('once forged')).toEqual([])
  await spent('another')
  await vi.waitFor(async () => expect(await typesInAudit()).toContain('row.rejected'), 60_000)
  expect(rig.gate.closedBy()).toBeUndefined()
  const says = (await checkRows({ folder: join(folder, 'data') })).map((finding) => finding.says)
  expect(says.filter((line) => line.includes('in once was not written by the gate'))).toHaveLength(1)
})

test('doctor reports missing keys while the gate runs', async () => {
  await start()
  await spent('first')
  expect(await checkRows({ folder: join(folder, 'data') })).toMatchObject([{ severity: 'ok' }])
  exec('DELETE FROM once')
  const says = (await checkRows({ folder: join(folder, 'data') })).map((finding) => finding.says)
  expect(says).toContainEqual(expect.stringContaining('single-use keys in the database were deleted or changed'))
  expect(existsSync(join(folder, 'data/keys/newest-entry.json'))).toBe(true)
})
