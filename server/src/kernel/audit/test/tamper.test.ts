import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { proveEntry } from '../prove-entry.ts'
import { verifyAudit } from '../verify-audit.ts'
import { writeCheckpoint } from '../write-checkpoint.ts'
import type { AuditReport, Checkpoint } from '../../contract/audit.ts'
import { TEST_ROWS } from '../../../adapters/stores/sqlite/open-store.suite.ts'
import { openSqliteLedger } from '../../../adapters/stores/sqlite/open-sqlite-ledger.ts'
import { digest, digestBytes, draft, memoryCheckpointFile, newKeys } from './memory-audit.suite.ts'
import { CASES, editField, type Tamper } from './tamper-cases.suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-tamper-'))
const [file, whole] = [join(folder, 'ledger.db'), join(folder, 'whole.db')]
const keys = newKeys()
const checkpointFile = memoryCheckpointFile()

async function open(stream: string) {
  const onFault = (error: Error): never => {
    throw error
  }
  const opened = await openSqliteLedger({ file, stream, rows: TEST_ROWS, onFault })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  const store = opened.value
  const clock = () => 1_700_000_000_000
  return {
    store,
    deps: { ledger: store, audit: store, tables: store, keys, checkpointFile, clock, digest, digestBytes },
  }
}

const { store, deps } = await open('main')
const shipped = await writeAudit()
expect(await store.backup(whole)).toMatchObject({ ok: true })
const raw = new DatabaseSync(file, { timeout: 60_000 })
raw.prepare('ATTACH ? AS whole').run(whole)

beforeEach(() => {
  for (const table of ['audit', 'heads', 'checkpoints', 'streams'])
    raw.exec(`DELETE FROM main.${table}; INSERT INTO main.${table} SELECT * FROM whole.${table};`)
})
afterAll(async () => {
  raw.close()
  await store.close()
  rmSync(folder, { recursive: true })
})

/** `main` has 25 entries and `other` 10; both are signed after every ten of `main`: up to 20 and up to 8. */
async function writeAudit(): Promise<readonly Checkpoint[]> {
  const other = await open('other')
  const signed: Checkpoint[] = []
  for (let at = 1; at <= 25; at += 1) {
    await store.commit([{ kind: 'audit', entry: draft(at, `agent:${at}`) }])
    if (at % 5 < 2) await other.store.commit([{ kind: 'audit', entry: draft(at, `user:${at}`) }])
    if (at % 10 === 0) signed.push(await sign())
  }
  await other.store.close()
  return signed
}

async function sign(): Promise<Checkpoint> {
  const written = await writeCheckpoint(deps)
  if (!written.ok || written.value === 'nothing_new') throw new Error('nothing was signed')
  return written.value
}

async function verifyAfter(tamper: Tamper, against?: readonly Checkpoint[]): Promise<AuditReport> {
  tamper(raw)
  return verifyAudit(deps, against === undefined ? {} : { against })
}

describe('in a real ledger', () => {
  test('an unchanged audit has no findings, with and without shipped checkpoints', async () => {
    const report = { ok: true, entries: 35, checkpoints: 2, unsigned: 7 }
    expect(await verifyAfter(() => undefined)).toMatchObject(report)
    expect(await verifyAfter(() => undefined, shipped)).toMatchObject(report)
  })

  test.each(Object.entries(CASES))(
    '%s is detected and named',
    async (_, { tamper, finds: [what, stream, seq], against }) => {
      const report = await verifyAfter(tamper, against === true ? shipped : undefined)
      expect(report).toMatchObject({ ok: false, first: { what, stream, seq } })
    },
  )

  test.each(Object.entries(CASES).filter(([, { against }]) => against === true))(
    '%s would not be detected without shipped checkpoints',
    async (_, { tamper }) => {
      expect(await verifyAfter(tamper)).toMatchObject({ ok: true })
    },
  )

  test('a signed entry is proven, and one that was edited is not', async () => {
    expect(await proveEntry(deps, 'main', 13)).toMatchObject({
      ok: true,
      value: { checkpoint: { body: { number: 2 } } },
    })
    expect(await proveEntry(deps, 'main', 21)).toMatchObject({ problem: { code: 'audit.not_signed_yet' } })
    expect(await proveEntry(deps, 'main', 26)).toMatchObject({ problem: { code: 'audit.seq_unknown' } })
    editField('$.actor', "'agent:other'")(raw)
    expect(await proveEntry(deps, 'main', 13)).toMatchObject({ problem: { code: 'audit.broken' } })
  })

  test('a gate with a kept checkpoint does not sign after the last entries were deleted; without one, a shipped checkpoint reveals it', async () => {
    CASES['last entries that were deleted with their heads and checkpoints']?.tamper(raw)
    for (let at = 30; at < 35; at += 1) await store.commit([{ kind: 'audit', entry: draft(at) }])
    expect(await writeCheckpoint(deps)).toMatchObject({ problem: { code: 'audit.broken' } })
    expect(await writeCheckpoint({ ...deps, checkpointFile: memoryCheckpointFile() })).toMatchObject({ ok: true })
    expect(await verifyAudit(deps)).toMatchObject({ ok: true })
    expect(await verifyAudit(deps, { against: shipped })).toMatchObject({
      first: { what: 'checkpoint_mismatch', stream: 'main', seq: 20 },
    })
  })
})
