import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openPorts } from '../../src/main/open-ports.ts'
import { recoverFromDead } from '../../src/main/open-gate.ts'
import type { Ports } from '../../src/kernel/ports/guest-ports.ts'
import type { Ledger } from '../../src/kernel/ports/ledger.ts'
import type { Liveness } from '../../src/kernel/ports/liveness.ts'
import { callId, newCall } from '../../src/adapters/stores/ledger-fixtures.suite.ts'
import { settingsIn, until } from '../helpers/with-gate.ts'

/** What fails while a node takes over, once: the ledger does not answer, or the database cannot say who is alive. */
const FAULTS: readonly (readonly [says: string, break_: (ports: Ports) => Partial<Ports>])[] = [
  [
    'the ledger was unavailable',
    ({ ledger }) => {
      let failures = 1
      const commit: Ledger['commit'] = async (changes) => (failures-- > 0 ? 'unavailable' : ledger.commit(changes))
      return { ledger: { commit } }
    },
  ],
  [
    'the database could not be asked',
    ({ liveness }) => {
      let failures = 1
      const isAlive: Liveness['isAlive'] = async (boot) => {
        if (failures-- > 0) throw new Error('connection terminated')
        return liveness.isAlive(boot)
      }
      return { liveness: { ...liveness, isAlive } }
    },
  ],
]

test.each(FAULTS)(
  'a takeover that failed because %s is retried',
  async (_says, fault) => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-again-'))
    const opened = await openPorts(settingsIn(folder), { log: () => {}, url: () => 'http://gate.test' }, true)
    if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
    const { ports } = opened.value
    try {
      const deaths: ((boot: string) => void)[] = []
      const broken: Ports = { ...ports, ...fault(ports) }
      const liveness = {
        ...broken.liveness,
        onDeath: (received: (boot: string) => void) => (deaths.push(received), () => {}),
      }
      const recovery = await recoverFromDead({ ...broken, liveness }, { recover: async () => {} }, () => {})
      await ports.quiet.commit([newCall(callId(1), { state: 'executing', boot: '0123456789abcdef' })])
      for (const received of deaths) received('0123456789abcdef')
      await until(async () => (await ports.tables.row('calls', callId(1)))?.row.state === 'unknown')
      await recovery.stop()
      expect(deaths).toHaveLength(1)
    } finally {
      await opened.value.close()
      rmSync(folder, { recursive: true, force: true })
    }
  },
  60_000,
)
