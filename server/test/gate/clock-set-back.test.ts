import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { APPROVER, auditTypes, effectsIn, openTestGate, pendingOf, USER, type GateRig } from './with-gate.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-set-back-'))
const HOUR = 3_600_000
const NOON = Date.UTC(2026, 10, 16, 12)
let rig: GateRig

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
  rig = await openTestGate(folder, { config: { approvals: { expires_s: 900 } } })
})
afterEach(() => void vi.setSystemTime(NOON))
afterAll(async () => {
  await rig.opened.close()
  vi.useRealTimers()
  rmSync(folder, { recursive: true, force: true })
})

async function digestOf(approval_id: string): Promise<string> {
  const packet = await rig.gate.approvals.read(APPROVER, approval_id)
  return packet.ok ? packet.value.digest : ''
}

/** Each operation that can report an expired request. */
const WAYS = {
  approve: async (id: string) =>
    rig.gate.approvals.decide(APPROVER, id, { says: 'approve', digest: await digestOf(id) }),
  deny: (id: string) => rig.gate.approvals.decide(APPROVER, id, { says: 'deny' }),
  edit: (id: string) => rig.gate.approvals.edit(APPROVER, id, { text: 'other' }),
  'issue a token': (id: string) => rig.gate.approvals.issueToken(USER, id),
  'redeem a token': async (id: string) => {
    vi.setSystemTime(NOON)
    const token = await rig.gate.approvals.issueToken(USER, id)
    vi.setSystemTime(NOON + HOUR)
    const presented = { approval_id: id, token: token.ok ? token.value : '', thread: 't1', says: 'approve' } as const
    return rig.gate.approvals.redeemToken(USER, presented)
  },
}

describe('a clock that is set back', () => {
  test.each(Object.entries(WAYS))(
    'does not revive an expired request: %s',
    async (name, way) => {
      const { approval_id, call_id } = pendingOf(await rig.call('book__note', { text: name }, { thread: 't1' }))
      vi.setSystemTime(NOON + HOUR)
      expect(await way(approval_id)).toMatchObject({ problem: { code: 'approval.expired' } })
      vi.setSystemTime(NOON)
      expect(await WAYS.approve(approval_id)).toMatchObject({ problem: { code: 'approval.expired' } })
      expect(await rig.outcome(call_id)).toMatchObject({ status: 'refused', problem: { code: 'approval.expired' } })
      expect(effectsIn(folder)).toEqual([])
      expect(await auditTypes(rig.gate)).not.toContain('approval.approved')
    },
    60_000,
  )
})
