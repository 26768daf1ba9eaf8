import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unpackBackup } from '../../src/main/restore.ts'
import { verifyOffline } from '../../src/main/verify-offline.ts'
import { MIGRATIONS } from '../../src/adapters/stores/sqlite/schema.ts'
import { run, startGate, type RunningGate } from '../helpers/with-running-gate.ts'
import { endsOf } from '../some-of.ts'
import { configureLedger, FOLDERS, startAt, type Recording } from './with-data-folder.ts'

const recordings = globSync('*.json', { cwd: FOLDERS }).map((file) => ({
  ...(JSON.parse(readFileSync(join(FOLDERS, file), 'utf8')) as Recording),
  backup: join(FOLDERS, file.replace('.json', '.backup.gz')),
}))
recordings.sort((a, b) => a.schema - b.schema)

const A_DAY = 86_400_000

async function open(folder: string, backup: string): Promise<void> {
  configureLedger(folder)
  const file = join(folder, 'recorded.backup')
  writeFileSync(file, gunzipSync(readFileSync(backup)))
  // As it was, with what waited: a restore would end that.
  if ((await unpackBackup(file, join(folder, '.sluice'))) === undefined) throw new Error(`${backup} is not a backup`)
}

test('there is a recorded data folder of the schema of this release', () =>
  expect(recordings.map(({ schema }) => schema)).toContain(MIGRATIONS.length))

/** Data folders of earlier releases: this release opens them, loses nothing and finishes what was started. */
describe.each(endsOf(recordings))('a data folder of release $release with schema $schema', (recorded) => {
  const { keys, held, executed, denied, artifact, entries } = recorded
  let gate: RunningGate & { stop(): Promise<void> }
  beforeAll(async () => {
    startAt(recorded.at + A_DAY)
    gate = await startGate((folder) => open(folder, recorded.backup))
  })
  afterAll(() => gate.stop())

  test('verifies, with every entry and both checkpoint keys', async () => {
    const { out, code } = await gate.cli('audit', 'verify')
    expect(code).toBe(0)
    expect(Number(/(\d+) entries/.exec(out)?.[1])).toBeGreaterThanOrEqual(entries)
  })

  test('knows its keys, calls and artifacts', async () => {
    const got = async (path: string, key: string) => gate.http('GET', path, key)
    expect(await got(`/v1/calls/${executed}`, keys.agent)).toMatchObject({ body: { status: 'executed' } })
    expect(await got(`/v1/calls/${denied}`, keys.agent)).toMatchObject({ body: { code: 'approval.denied' } })
    expect(await got(`/v1/artifacts/${artifact}`, keys.agent)).toMatchObject({ status: 200 })
    expect(await got('/v1/tools', keys.revoked)).toMatchObject({ status: 401, body: { code: 'auth.invalid' } })
  })

  test('allows what a consent still covers, and no more', async () => {
    const note = (text: string) => gate.http('POST', '/v1/calls', keys.agent, { tool: 'ledger__note', args: { text } })
    expect((await note('by consent, the second')).body['status']).toBe('executed')
    expect((await note('by consent, the third')).body['status']).toBe('pending')
  })

  test('executes a held call after a person approves it now', async () => {
    const decided = await gate.approve(held.approval_id, keys.approver)
    expect(decided.status).toBe(200)
    const { body } = await gate.http('GET', `/v1/calls/${held.call_id}?wait_ms=60000`, keys.agent)
    expect(body['status']).toBe('executed')
    expect(readFileSync(join(gate.folder, 'effects.txt'), 'utf8')).toContain('held by the old release\n')
  })
})

test('a data folder of a later release is rejected with a code and a remedy, and is not changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-later-'))
  await open(folder, recordings[0]?.backup ?? '')
  // This release migrates it.
  expect(await verifyOffline({ config: join(folder, 'sluice.yaml') }, [])).toMatchObject({ ok: true })
  const ledger = join(folder, '.sluice/ledger.sqlite')
  const db = new DatabaseSync(ledger)
  db.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`)
  db.close()
  const before = readFileSync(ledger)
  const up = await run(folder, ['up', '--trust'])
  expect(up.code).toBe(1)
  expect(up.err).toContain('[ledger.newer]')
  expect(up.err).toContain('restore')
  const doctor = await run(folder, ['doctor'])
  expect(doctor.code).toBe(1)
  expect(doctor.out).toContain('written by a newer release')
  expect(readFileSync(ledger).equals(before)).toBe(true)
  expect(existsSync(`${ledger}-wal`)).toBe(false)
  rmSync(folder, { recursive: true, force: true })
})
