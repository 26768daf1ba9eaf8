import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { ProbePoint } from '../../src/kernel/ports/runtime.ts'
import { effectsIn, openTestGate, type GateRig } from '../helpers/with-gate.ts'
import { someOf } from '../some-of.ts'
import { CRASH_POLICY } from './crash-policy.ts'
import { dieIn, type Kill } from './dying.ts'
import { READING_TOOLS, type DyingReads } from './dying-reads.ts'

type Order = Omit<DyingReads, 'folder'> & { readonly kill: Kill }

const POWER_WORKER = new URL('power-worker.ts', import.meta.url)

/** The texts of the reads that were answered before the death. */
async function answeredBefore({ kill, ...order }: Order & { readonly folder: string }): Promise<readonly string[]> {
  const died = await dieIn(join(import.meta.dirname, 'dying-reads.ts'), kill, order)
  expect(`${died.signal} ${died.out} ${died.err}`).toContain(`died at ${kill.at}`)
  expect(died.signal).toBe('SIGKILL')
  return died.out.split('\n').flatMap((line) => (line.startsWith('answered ') ? [line.slice(9)] : []))
}

/** The texts that the tool server was sent. */
const sentIn = (folder: string): readonly string[] =>
  effectsIn(folder).map((line) => (JSON.parse(line.slice('slow_note '.length)) as { text: string }).text)

const LEDGER = join('data', 'ledger.sqlite')

/** The state of each read in the ledger, by its text. */
function statesIn(folder: string): ReadonlyMap<string, string> {
  const db = new DatabaseSync(join(folder, LEDGER), { readOnly: true })
  const rows = db.prepare(`SELECT body, later FROM calls WHERE tool_id = 'book__slow_note'`).all()
  db.close()
  return new Map(
    rows.map(({ body, later }) => {
      const row = { ...JSON.parse(String(body)), ...JSON.parse(String(later ?? '{}')) } as Record<string, string>
      return [(JSON.parse(row['canonical_args'] ?? '') as { text: string }).text, row['state'] ?? '']
    }),
  )
}

async function afterDeath(
  order: Order,
  look: (folder: string, answered: readonly string[]) => void,
  atRest: (folder: string) => void = () => {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-reads-'))
  try {
    const answered = await answeredBefore({ ...order, folder })
    atRest(folder)
    const rig: GateRig = await openTestGate(folder, { policy: CRASH_POLICY, server: READING_TOOLS })
    try {
      look(folder, answered)
      // Recovery has ended every read that was in progress; nobody has to settle one.
      expect([...statesIn(folder).values()].filter((state) => state !== 'executed' && state !== 'failed')).toEqual([])
      expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
      expect(await rig.call('book__slow_note', { text: 'afterwards' })).toMatchObject({ status: 'executed' })
    } finally {
      await rig.opened.close()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const POINTS: readonly ProbePoint[] = [
  'outcome.after',
  'intent.before',
  'intent.after',
  'upstream.before',
  'upstream.after',
  'outcome.before',
]

describe('a gate that dies among declared reads', () => {
  test.each(someOf(POINTS, 6))(
    'at %s has recorded every request that the tool server received, and every answer that was returned',
    async (at) => {
      await afterDeath({ clients: 8, kill: { at, nth: 60 } }, (folder, answered) => {
        const states = statesIn(folder)
        const sent = sentIn(folder)
        expect(sent.length).toBeGreaterThan(40)
        expect(sent.filter((text) => !states.has(text))).toEqual([])
        expect(answered.length).toBeGreaterThan(30)
        expect(answered.filter((text) => states.get(text) !== 'executed')).toEqual([])
      })
    },
  )
})

/** The files of the ledger as the power failure left them; everything else is newer. */
function failPower(folder: string): void {
  for (const file of [LEDGER, `${LEDGER}-wal`, `${LEDGER}-shm`]) rmSync(join(folder, file), { force: true })
  const newest = Math.max(...readdirSync(join(folder, 'disk')).map(Number))
  const copy = join(folder, 'disk', String(newest))
  for (const file of readdirSync(copy)) copyFileSync(join(copy, file), join(folder, 'data', file))
}

describe('a power failure among declared reads', () => {
  const FAILURES = [
    { at: 'outcome.before', clients: 3 },
    { at: 'upstream.after', clients: 1 },
    { at: 'outcome.after', clients: 1 },
    { at: 'intent.after', clients: 3 },
  ] as const
  test.each(someOf(FAILURES, 4))(
    'at $at with $clients clients loses no answer, and the audit is complete',
    async ({ at, clients }) => {
      const order = { clients, kill: { at, nth: 8 * clients }, writer: POWER_WORKER.href }
      await afterDeath(
        order,
        (folder, answered) => {
          const states = statesIn(folder)
          expect(answered.length).toBeGreaterThan(5)
          expect(answered.filter((text) => states.get(text) !== 'executed')).toEqual([])
          // Otherwise no fsync was left out, and this test says nothing.
          expect(readFileSync(join(folder, 'disk.unsynced'), 'utf8').length).toBeGreaterThan(5)
        },
        failPower,
      )
    },
  )
})
