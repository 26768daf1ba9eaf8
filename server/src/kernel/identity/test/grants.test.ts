import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { NewCredential } from '../credentials.ts'
import type { Caller } from '../../contract/caller.ts'
import { race } from '../../../../test/race/race.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  effectsIn,
  openTestGate,
  pendingOf,
  until,
  withGate,
  type GateRig,
  approveShown,
} from '../../../../test/helpers/with-gate.ts'

async function granted({ gate }: Pick<GateRig, 'gate'>, limits: Partial<NewCredential>): Promise<Caller> {
  const created = await gate.identity.createCredential(ADMIN, { kind: 'agent', name: 'a', user: 'ana', ...limits })
  if (!created.ok) throw new Error(created.problem.code)
  const caller = await gate.identity.authenticate(created.value.key)
  if (!caller.ok) throw new Error(caller.problem.code)
  return caller.value
}

test('a tool outside the grant is answered exactly like one that does not exist, for every request', () =>
  withGate(async (rig) => {
    const { gate, call } = rig
    const { call_id } = (await call('book__note_again', { text: 'mine' })) as { call_id: string }
    const caller = await granted(rig, { tools: ['book__lo*', 'book__echo'] })
    expect(gate.catalogue.tools(caller).map(({ row }) => row.tool_id)).toEqual(['book__look', 'book__echo'])
    expect(await call('book__look', {}, { caller })).toMatchObject({ status: 'executed' })
    const asked = async (tool: string) => [
      await call(tool, { text: 'x' }, { caller }),
      gate.catalogue.card(caller, tool, false),
    ]
    const missing = JSON.stringify(await asked('book__nothing')).replaceAll('book__nothing', 'TOOL')
    const invisible = JSON.stringify(await asked('book__note_again')).replaceAll('book__note_again', 'TOOL')
    expect(invisible).toBe(missing)
    // With another key the same agent sees its call; with this key there is no such call.
    expect(await gate.calls.read(AGENT, call_id)).toMatchObject({ ok: true })
    expect(await gate.calls.read(caller, call_id)).toMatchObject({ ok: false, problem: { code: 'call.unknown' } })
    expect(rig.effects()).toEqual(['note_again {"text":"mine"}'])
  }))

test('started and held calls use one call each, refused and repeated ones none, until the key is exhausted', () =>
  withGate(async (rig) => {
    const { gate, call } = rig
    const caller = await granted(rig, { calls: 3 })
    const left = async () => {
      const listed = await gate.identity.listCredentials(ADMIN)
      return listed.ok ? listed.value.map(({ calls_left }) => calls_left) : listed.problem.code
    }
    expect(await call('book__wipe', { text: 'x' }, { caller })).toMatchObject({ problem: { code: 'call.blocked' } })
    expect(await call('book__nothing', {}, { caller })).toMatchObject({ problem: { code: 'tool.unknown' } })
    expect(await left()).toEqual([3])
    const once = { caller, idempotency_key: 'k1' }
    expect(await call('book__note_again', { text: '1' }, once)).toMatchObject({ status: 'executed' })
    expect(await call('book__note_again', { text: '1' }, once)).toMatchObject({ status: 'executed' })
    expect(await left()).toEqual([2])
    const held = pendingOf(await call('book__note', { text: '2' }, { caller }))
    expect(await left()).toEqual([1])
    await approveShown(gate, APPROVER, held.approval_id)
    expect(await rig.outcome(held.call_id)).toMatchObject({ status: 'executed' })
    expect(await left()).toEqual([1])
    expect(await call('book__look', {}, { caller })).toMatchObject({ status: 'executed' })
    expect(await call('book__look', {}, { caller })).toMatchObject({
      status: 'refused',
      problem: { code: 'key.exhausted' },
    })
    expect(await call('book__note_again', { text: '1' }, once)).toMatchObject({ status: 'executed' })
    expect(await left()).toEqual([0])
    const entries = await gate.audit.page(undefined, 1, 500)
    expect(entries.filter(({ about }) => about?.['code'] === 'key.exhausted')).toHaveLength(1)
  }))

test('a key is valid until it expires, and not longer', () =>
  withGate(async ({ gate }) => {
    const created = await gate.identity.createCredential(ADMIN, { kind: 'agent', name: 'short', ttl_s: 1 })
    if (!created.ok) throw new Error(created.problem.code)
    const { key, row } = created.value
    const good = await gate.identity.authenticate(key)
    expect(good.ok || Date.now() >= (row.expires_at ?? 0)).toBe(true)
    // By the clock: a timer may fire a millisecond early.
    await until(() => Date.now() >= (row.expires_at ?? 0))
    expect(await gate.identity.authenticate(key)).toMatchObject({ ok: false, problem: { code: 'auth.invalid' } })
    expect(await gate.identity.listCredentials(ADMIN)).toMatchObject({ value: [{ state: 'expired' }] })
  }))

test('if two processes race with one key, exactly as many calls run as the key allows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-grants-'))
  try {
    const before = await openTestGate(folder)
    const caller = await granted(before, { calls: 20 })
    await before.opened.close()
    const words = (name: string) => [folder, 'book__note_again', 't1', name, '20', '', JSON.stringify(caller)]
    expect(await race('call-racer.ts', ['p0', 'p1'].map(words))).toEqual({ executed: 20, 'key.exhausted': 20 })
    expect(effectsIn(folder)).toHaveLength(20)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)
