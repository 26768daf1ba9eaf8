import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { effectsIn, openTestGate, pendingOf, USER } from '../helpers/with-gate.ts'
import { chooseStore, STORES } from '../helpers/postgres-stores.ts'
import { allEntries, race } from './race.ts'

const PROCESSES = 3
const TIMES = 334

/** One token has two guards, the insert of its nonce and the swap of the row; the other two ways have only the swap. */
const WAYS = [
  { way: 'token', says: 'redemptions of one token', lost: 'approval.used' },
  { way: 'tokens', says: 'redemptions with a token each', lost: 'approval.used' },
  { way: 'role', says: 'clicks of an approver', lost: 'approval.not_pending' },
]
const RACES = STORES.flatMap((store) => WAYS.map((one) => ({ store, ...one })))

afterEach(() => chooseStore('embedded'))

test.each(RACES)(
  'on $store, of a thousand racing $says by three processes exactly one succeeds, and the tool runs once',
  async ({ store, way, lost }) => {
    await chooseStore(store)
    const folder = mkdtempSync(join(tmpdir(), 'sluice-race-'))
    try {
      const before = await openTestGate(folder)
      const { approval_id, call_id } = pendingOf(await before.call('book__note', { text: 'x' }))
      const token = await before.gate.approvals.issueToken(USER, approval_id)
      if (!token.ok) throw new Error(token.problem.code)
      await before.opened.close()

      const words = [folder, approval_id, way, String(TIMES), token.value]
      const total = await race(
        'approval-racer.ts',
        Array.from({ length: PROCESSES }, () => words),
      )
      expect(total).toEqual({ approved: 1, [lost]: PROCESSES * TIMES - 1 })
      expect(effectsIn(folder)).toEqual(['note {"text":"x"}'])
      const after = await openTestGate(folder)
      expect(await after.outcome(call_id)).toMatchObject({ status: 'executed' })
      const entries = await allEntries(after.gate)
      expect(entries.filter(({ type }) => type === 'approval.approved')).toHaveLength(1)
      expect(entries.filter(({ type }) => type === 'call.started')).toHaveLength(1)
      expect(await after.gate.audit.verify([])).toMatchObject({ ok: true })
      await after.opened.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
