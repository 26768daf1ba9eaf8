import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Caller } from '../../src/kernel/contract/caller.ts'
import { ADMIN, effectsIn, openTestGate, pendingOf } from '../helpers/with-gate.ts'
import { race } from './race.ts'
import { ROUTED } from './routed.ts'

const TIMES = '15'
const ada: Caller = { kind: 'approver', id: 'approver:ada', user: 'ada' }

async function clicks(people: readonly string[], more: { readonly handedOver: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-race-routes-'))
  try {
    const before = await openTestGate(folder, ROUTED)
    const { approval_id } = pendingOf(await before.call('book__note', { text: 'x' }))
    if (more.handedOver) await before.gate.approvals.delegate(ada, { to: 'dan', for_s: 600 })
    await before.opened.close()
    const racers = people.map((users) => [folder, approval_id, users, TIMES])
    const total = await race('route-racer.ts', racers)
    const after = await openTestGate(folder, ROUTED)
    const read = await after.gate.approvals.read(ADMIN, approval_id)
    await after.opened.close()
    return { total, packet: read.ok ? read.value : undefined, effects: effectsIn(folder) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('of concurrent members in three processes two count, each once, and the tool runs once', async () => {
  const { total, packet, effects } = await clicks(['ada,bob', 'bob,cy', 'cy,ada'], { handedOver: false })
  expect([total['pending'], total['approved']]).toEqual([1, 1])
  expect(new Set(packet?.decisions.map(({ user }) => user)).size).toBe(2)
  expect(packet?.decisions).toHaveLength(2)
  expect(effects).toEqual(['note {"text":"x"}'])
}, 120_000)

test('a person and their substitute never count as two, even in a race', async () => {
  const { total, packet, effects } = await clicks(['ada', 'dan', 'ada,dan'], { handedOver: true })
  expect([total['pending'], total['approved']]).toEqual([1, undefined])
  expect(packet?.state).toBe('pending')
  expect(effects).toEqual([])
}, 120_000)
