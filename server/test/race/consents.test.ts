import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ADMIN, APPROVER, effectsIn, openTestGate } from '../helpers/with-gate.ts'
import { chooseStore, STORES } from '../helpers/postgres-stores.ts'
import { allEntries, race } from './race.ts'

const RACERS = ['a', 'b', 'c']
const TIMES = 130
const UNITS = 200

afterEach(() => chooseStore('embedded'))

test.each(STORES)(
  'on %s, of 390 calls by three processes under one consent of 200 exactly 200 run, and a person is asked about the rest',
  async (store) => {
    await chooseStore(store)
    const folder = mkdtempSync(join(tmpdir(), 'sluice-race-'))
    try {
      const before = await openTestGate(folder)
      const minted = await before.gate.consents.mint(APPROVER, {
        actor: 'caller:agent:a',
        what: { tool: 'book__slow_note', args: [{ path: '/text', op: 'prefix', value: 'race ' }] },
        calls: UNITS,
        expires_in_s: 3600,
      })
      if (!minted.ok) throw new Error(minted.problem.code)
      await before.opened.close()

      const words = (name: string) => [folder, 'book__slow_note', name, name, String(TIMES)]
      const total = await race('call-racer.ts', RACERS.map(words))
      expect(total).toEqual({ executed: UNITS, pending: RACERS.length * TIMES - UNITS })
      const effects = effectsIn(folder)
      expect(effects).toHaveLength(UNITS)
      expect(new Set(effects).size).toBe(UNITS)
      const after = await openTestGate(folder)
      expect((await after.gate.consents.list(ADMIN, { limit: 10 })).items).toMatchObject([
        { consent_id: minted.value.consent_id, calls: UNITS, calls_left: 0, state: 'exhausted' },
      ])
      const entries = await allEntries(after.gate)
      const started = entries.filter(({ type }) => type === 'call.started')
      expect(started).toHaveLength(UNITS)
      expect(started.every(({ subject }) => subject['consent'] === minted.value.consent_id)).toBe(true)
      expect(await after.gate.audit.verify([])).toMatchObject({ ok: true })
      await after.opened.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
