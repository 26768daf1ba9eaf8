import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { acceptBreak } from '../../../../kernel/audit/accept-break.ts'
import { keepCheckpoints } from '../../../../kernel/audit/keep-checkpoints.ts'
import type { CheckpointFile } from '../../../../kernel/ports/audit.ts'
import type { AuditEntry } from '../../../../kernel/contract/audit.ts'
import { openSeenEntries } from '../../../keys/seen-entries.ts'
import { note } from '../../ledger-fixtures.suite.ts'
import { connect } from '../connect.ts'
import { addressOf, openLedger } from '../open-ledger.suite.ts'
import { rehashed } from '../../../../kernel/audit/test/histories.suite.ts'
import { digest, digestBytes, memoryCheckpointFile, newKeys } from '../../../../kernel/audit/test/memory-audit.suite.ts'
import { ADMIN } from '../../../../../test/helpers/with-gate.ts'
import { freshSchema, hasPostgres, testDatabase } from '../../../../../test/helpers/with-postgres.ts'

vi.setConfig({ testTimeout: 60_000 })

const SELDOM = { every_entries: 1_000_000, every_ms: 1e12 }
const keys = newKeys()
let address = ''
let folder = ''
beforeEach(async () => {
  address = `${await testDatabase()} ${freshSchema()}`
  folder = mkdtempSync(join(tmpdir(), 'sluice-seen-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** One node: its ledger, and what it knows outside of it. Entries that are not signed at its end were left by a kill. */
async function node(stream: string, checkpointFile: CheckpointFile = memoryCheckpointFile()) {
  const ledger = await openLedger(address, { stream, alone: true })
  const seen = openSeenEntries(folder, (error) => {
    throw error
  })
  const clock = Date.now
  const ids = { trace: () => 'trace_1' as never }
  const deps = {
    ledger,
    audit: ledger,
    tables: ledger,
    tail: ledger,
    keys,
    checkpointFile,
    seen,
    digest,
    digestBytes,
    clock,
    ids,
    stream,
  }
  const keeper = keepCheckpoints(deps, SELDOM)
  return {
    ledger,
    checkpointFile,
    keeper,
    accept: () => acceptBreak(deps, ADMIN, 'it was edited'),
    async kill() {
      await seen.settled()
      await ledger.close()
    },
  }
}

async function inDatabase<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(addressOf(address), 'test')
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
type HeadRow = { readonly seq: number; readonly hash: string; readonly mac: string }
const headOf = (stream: string) =>
  inDatabase(async (client) => {
    const { rows } = await client.query<HeadRow>('SELECT seq, hash, mac FROM heads WHERE stream = $1', [stream])
    return rows[0] as HeadRow
  })
const OF_STREAM = 'stream = (SELECT number FROM streams WHERE stream = $1)'
const cutTo = (stream: string, { seq, hash, mac }: HeadRow) =>
  inDatabase(async (client) => {
    await client.query(`DELETE FROM audit WHERE ${OF_STREAM} AND seq > $2`, [stream, seq])
    await client.query('UPDATE heads SET seq = $2, hash = $3, mac = $4 WHERE stream = $1', [stream, seq, hash, mac])
  })
/** Appends a copy of the last entry with another actor, correctly chained, and updates the head. */
const addTo = (stream: string) =>
  inDatabase(async (client) => {
    const { rows } = await client.query<{ seq: number; hash: string; body: string }>(
      `SELECT seq, hash, body FROM audit WHERE ${OF_STREAM} ORDER BY seq DESC LIMIT 1`,
      [stream],
    )
    const last = rows[0] ?? { seq: 0, hash: '', body: '{}' }
    const entry = { ...(JSON.parse(last.body) as AuditEntry), hash: last.hash }
    const { hash, ...rest } = rehashed(entry, { actor: 'agent:forged', prev_hash: last.hash, seq: last.seq + 1 })
    await client.query(
      'INSERT INTO audit (stream, seq, hash, body) SELECT number, $2, $3, $4 FROM streams WHERE stream = $1',
      [stream, last.seq + 1, hash, JSON.stringify(rest)],
    )
    await client.query('UPDATE heads SET seq = $2, hash = $3 WHERE stream = $1', [stream, last.seq + 1, hash])
  })

/** Both nodes have written, the second has signed and has seen two more entries of the first, which was killed then. */
async function twoNodes() {
  const one = await node('gate-1')
  await one.ledger.commit([note('a')])
  const two = await node('gate-2')
  await two.ledger.commit([note('b')])
  expect(await two.keeper.close()).toMatchObject({ ok: true, value: { body: { count: 2 } } })
  await one.ledger.commit([note('c')])
  const earlier = await headOf('gate-1')
  await one.ledger.commit([note('d')])
  expect(await two.keeper.begin()).toMatchObject({ ok: true })
  await one.kill()
  return { two, earlier }
}
const BROKEN = { ok: false, problem: { code: 'audit.broken', about: { stream: 'gate-1' } } }

describe.skipIf(!hasPostgres)('unsigned entries of a node that was killed', () => {
  test('are signed by another node if nobody touched them', async () => {
    const { two } = await twoNodes()
    expect(await two.keeper.begin()).toMatchObject({ ok: true })
    expect(await two.keeper.close()).toMatchObject({ ok: true, value: { body: { count: 4 } } })
    await two.kill()
  })

  test('that are cut off, with the genuine head of that time restored, are reported as missing by a running node', async () => {
    const { two, earlier } = await twoNodes()
    await cutTo('gate-1', earlier)
    expect(await two.keeper.begin()).toMatchObject(BROKEN)
    expect(await two.keeper.close()).toMatchObject(BROKEN)
    await two.kill()
  })

  test('that are cut off while no node runs are reported as missing by a node that had seen them, whichever stream it writes now', async () => {
    const { two, earlier } = await twoNodes()
    await two.kill()
    await cutTo('gate-1', earlier)
    const again = await node('gate-3', two.checkpointFile)
    expect(await again.keeper.begin()).toMatchObject(BROKEN)
    await again.kill()
  })

  test('to which entries are added without a key are not signed, until an admin accepts them', async () => {
    const { two } = await twoNodes()
    await addTo('gate-1')
    expect(await two.keeper.close()).toMatchObject(BROKEN)
    expect(await two.accept()).toMatchObject({ ok: true })
    await two.ledger.commit([note('e')])
    expect(await two.keeper.begin()).toMatchObject({ ok: true })
    await two.kill()
  })

  test('that are cut off are reported as missing by the node itself, from its note beside its keys', async () => {
    const one = await node('gate-1')
    await one.ledger.commit([note('a')])
    const earlier = await headOf('gate-1')
    await one.ledger.commit([note('b')])
    const floor = one.ledger.ownTail()
    await one.kill()
    await cutTo('gate-1', earlier)
    const reported: unknown[] = []
    const again = await openLedger(address, {
      stream: 'gate-1',
      alone: true,
      floor,
      onDiverged: (found) => reported.push(found),
    })
    await again.commit([note('c')])
    expect(reported).toMatchObject([{ stream: 'gate-1', seq: 2 }])
    await again.close()
  })
})
