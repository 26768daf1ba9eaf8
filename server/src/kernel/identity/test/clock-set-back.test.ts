import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { correctClock } from '../../../main/correct-clock.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  approveShown,
  auditTypes,
  effectsIn,
  openTestGate,
  pendingOf,
  USER,
  type GateRig,
} from '../../../../test/helpers/with-gate.ts'

let folder: string
const HOUR = 3_600_000
const NOON = Date.UTC(2026, 10, 16, 12)
let rig: GateRig

let token = ''

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON })
  folder = mkdtempSync(join(tmpdir(), 'sluice-set-back-'))
  rig = await openTestGate(folder, { config: { approvals: { expires_s: 900 } } })
})
afterEach(async () => {
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
  'redeem a token': (id: string) =>
    rig.gate.approvals.redeemToken(USER, { approval_id: id, token, thread: 't1', says: 'approve' }),
}

describe('a clock that is set back', () => {
  test.each(Object.entries(WAYS))(
    'does not revive an expired request: %s',
    async (name, way) => {
      const { approval_id, call_id } = pendingOf(await rig.call('book__note', { text: name }, { thread: 't1' }))
      const issued = await rig.gate.approvals.issueToken(USER, approval_id)
      token = issued.ok ? issued.value : ''
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

const HELD = { caller: { ...AGENT, id: 'agent:z', user: 'zoe' } }

/** Each thing that expires within an hour, and whether it still gives something. */
const EXPIRING: Readonly<Record<string, (rig: GateRig) => Promise<(rig: GateRig) => Promise<boolean>>>> = {
  async 'a key'({ gate }) {
    const made = await gate.identity.createCredential(ADMIN, { kind: 'agent', name: 'b', user: 'ana', ttl_s: 3_600 })
    return async (rig) => made.ok && (await rig.gate.identity.authenticate(made.value.key)).ok
  },
  async 'a consent'({ gate }) {
    const what = { tool: 'book__note', args: [{ path: '/text', op: 'any' as const }] }
    const minted = await gate.consents.mint(APPROVER, { actor: 'caller:agent:a', what, calls: 50, expires_in_s: 3_600 })
    expect(minted).toMatchObject({ ok: true })
    return async (rig) => (await rig.call('book__note', { text: 'x' })).status === 'executed'
  },
  async 'a request'(before) {
    const { approval_id } = pendingOf(await before.call('book__note', { text: 'x' }, HELD))
    return async ({ gate }) => (await approveShown(gate, APPROVER, approval_id)).ok
  },
}

describe('a time that a gate has seen', () => {
  test.each(Object.entries(EXPIRING))(
    'counts for %s after the clock was set back and the gate restarted, until the operator corrects it',
    async (_, begin) => {
      const own = mkdtempSync(join(tmpdir(), 'sluice-set-back-'))
      const options = { config: join(own, 'sluice.yaml'), data: join(own, 'data') }
      writeFileSync(options.config, 'servers: {}\n')
      const open = () => openTestGate(own, { config: { approvals: { expires_s: 3_600 } }, alone: true })
      try {
        const first = await open()
        const isGood = await begin(first)
        vi.setSystemTime(NOON + 30 * HOUR)
        await first.call('book__look')
        vi.setSystemTime(NOON)
        await first.opened.close()
        const second = await open()
        if (begin !== EXPIRING['a request']) expect(await isGood(second)).toBe(false)
        await second.opened.close()
        const asked: string[] = []
        const correct = (agrees: boolean) =>
          correctClock(options, async ({ keys, from }) => {
            asked.push(...keys)
            expect(from).toBeGreaterThanOrEqual(NOON + 30 * HOUR)
            return agrees
          })
        expect(await correct(false)).toMatchObject({ ok: true, value: { corrected: false } })
        const third = await open()
        if (begin !== EXPIRING['a request']) expect(await isGood(third)).toBe(false)
        await third.opened.close()
        expect(await correct(true)).toMatchObject({ ok: true, value: { corrected: true } })
        if (begin === EXPIRING['a key']) expect(asked).toEqual(['agent:b', 'agent:b'])
        const fourth = await open()
        expect(await isGood(fourth)).toBe(begin !== EXPIRING['a request'])
        expect(await auditTypes(fourth.gate)).toContain('clock.corrected')
        await fourth.opened.close()
        expect(await correctClock(options, () => Promise.reject(new Error('not asked')))).toMatchObject({
          value: { corrected: false },
        })
      } finally {
        rmSync(own, { recursive: true, force: true })
      }
    },
    120_000,
  )
})
