import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { effectsIn, openTestGate } from '../helpers/with-gate.ts'
import { chooseStore, STORES } from '../helpers/postgres-stores.ts'
import { race } from './race.ts'

const NAMES = ['p0', 'p1', 'p2']
const TIMES = 60
const BUDGET = 50

afterEach(() => chooseStore('embedded'))

test.each(STORES)(
  'on %s, of the calls of three racing processes exactly as many run as their shared budget allows',
  async (store) => {
    await chooseStore(store)
    const folder = mkdtempSync(join(tmpdir(), 'sluice-budgets-'))
    try {
      await (await openTestGate(folder)).opened.close()
      const words = (name: string) => [folder, 'book__note_again', 't1', name, String(TIMES), String(BUDGET)]
      const total = await race('call-racer.ts', NAMES.map(words))
      expect(total).toEqual({ executed: BUDGET, 'call.over_budget': NAMES.length * TIMES - BUDGET })
      expect(effectsIn(folder)).toHaveLength(BUDGET)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  120_000,
)
