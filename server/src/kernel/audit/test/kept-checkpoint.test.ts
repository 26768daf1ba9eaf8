import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { spawnSync } from 'node:child_process'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { gateOf, type Gate } from '../../../../test/helpers/use-gate.ts'
import { copyLive } from '../../../../test/live-files.ts'
import { backUpData } from '../../../main/backup.ts'
import { restoreData } from '../../../main/restore.ts'
import { openGate, type OpenedGate } from '../../../main/open-gate.ts'
import { verifyOffline } from '../../../main/verify-offline.ts'
import type { AuditEntry, Checkpoint } from '../../contract/audit.ts'
import { GENESIS } from '../../contract/genesis.ts'
import { checkpointHash, checkpointText } from '../checkpoint.ts'
import { createCheckpointKeys, type CheckpointKey } from '../../../adapters/keys/checkpoint-keys.ts'
import { sha256Hex } from '../../../adapters/keys/digest.ts'
import { ADMIN, AGENT, settingsIn } from '../../../../test/helpers/with-gate.ts'
import { someOf } from '../../../../test/some-of.ts'
import { rehashed } from './histories.suite.ts'

vi.setConfig({ testTimeout: 60_000 })

type Folder = { readonly folder: string }
type Opened = OpenedGate & Folder & { readonly gate: Gate }
const folders: string[] = []
let gate: Opened | undefined
const log: string[] = []

/** A gate on a folder, with nothing behind it: what it records of its keys is enough to be signed. */
async function start(folder = mkdtempSync(join(tmpdir(), 'sluice-kept-')), checkpoint_seconds = 1): Promise<Opened> {
  folders.push(folder)
  const config = { servers: {}, audit: { checkpoint_seconds } }
  const settings = settingsIn(folder, { config, policy: 'rules: []' })
  const opened = await openGate(settings, { log: (level, says) => void log.push(`${level} ${says}`), url: () => '' })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  gate = { ...opened.value, gate: gateOf(opened.value), folder }
  return gate
}
afterEach(async () => {
  await gate?.close()
  gate = undefined
  log.length = 0
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})
const ledgerOf = ({ folder }: Folder) => join(folder, 'data/ledger.sqlite')
const keptOf = ({ folder }: Folder) => join(folder, 'data/keys/newest-checkpoint.json')

let names = 0
const record = (of: Opened) => of.gate.identity.createCredential(ADMIN, { kind: 'agent', name: `agent${(names += 1)}` })
async function signed(of: Opened, times: number): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    await record(of)
    expect(await of.gate.audit.presentCheckpoint()).toMatchObject({ ok: true })
  }
}
const broken = (of: Opened) =>
  vi.waitFor(() => expect(of.gate.closedBy()).toMatchObject({ code: 'audit.broken' }), 60_000)
const call = (of: Opened) => of.gate.calls.dispatch({ caller: AGENT, tool: 'book__look', args: {} })
const offlineConfig = ({ folder }: Folder) => writeFileSync(join(folder, 'sluice.yaml'), 'listen: { port: 0 }\n')
const offline = (of: Folder) => {
  offlineConfig(of)
  const { folder } = of
  return verifyOffline({ config: join(folder, 'sluice.yaml'), data: join(folder, 'data') }, [])
}

function inLedger<T>(of: Folder, work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(ledgerOf(of), { timeout: 60_000 })
  try {
    return work(db)
  } finally {
    db.close()
  }
}
const stored = (of: Folder): unknown[] =>
  inLedger(of, (db) => db.prepare('SELECT id, body FROM checkpoints ORDER BY pos').all())
const lastSeq = (of: Folder): number =>
  inLedger(of, (db) => Number(db.prepare('SELECT max(place) AS seq FROM audit').get()?.['seq']))

/** Changes the actor of one entry and recomputes all hashes after it: all that an attacker without a key can do. */
function rewriteFrom(of: Folder, from: number): void {
  inLedger(of, (db) => {
    db.exec('BEGIN IMMEDIATE')
    const rows = db.prepare('SELECT place, hash, body FROM audit WHERE place >= ? ORDER BY place').all(from)
    let before: string | undefined
    for (const { place, hash, body } of rows) {
      const entry = { ...(JSON.parse(String(body)) as AuditEntry), hash: String(hash) }
      const { hash: next, ...rest } = rehashed(
        entry,
        before === undefined ? { actor: 'agent:somebody-else' } : { prev_hash: before },
      )
      db.prepare('UPDATE audit SET hash = ?, body = ? WHERE place = ?').run(next, JSON.stringify(rest), Number(place))
      before = next
    }
    db.prepare("UPDATE heads SET hash = ? WHERE stream = 'main'").run(before ?? '')
    db.exec('COMMIT')
  })
}
const cutAfter = (of: Folder, seq: number) =>
  inLedger(of, (db) => {
    db.exec(`DELETE FROM audit WHERE place > ${seq}`)
    db.exec(`UPDATE heads SET seq = ${seq}, hash = (SELECT hash FROM audit WHERE place = ${seq})`)
  })

type Attack = (of: Folder) => void
const ATTACKS: Readonly<Record<string, Attack>> = {
  'all checkpoints deleted and the history rewritten': (of) => {
    inLedger(of, (db) => db.exec('DELETE FROM checkpoints'))
    rewriteFrom(of, 1)
  },
  'the newest checkpoint deleted and the history rewritten': (of) => {
    inLedger(of, (db) => db.exec('DELETE FROM checkpoints WHERE pos = (SELECT max(pos) FROM checkpoints)'))
    rewriteFrom(of, 2)
  },
  'all checkpoints deleted and nothing else': (of) => inLedger(of, (db) => db.exec('DELETE FROM checkpoints')),
  'the newest checkpoint deleted and the entries behind it cut off': (of) => {
    inLedger(of, (db) => db.exec('DELETE FROM checkpoints WHERE pos = (SELECT max(pos) FROM checkpoints)'))
    cutAfter(of, 2)
  },
  'entries cut off': (of) => cutAfter(of, 2),
  'the history rewritten under the checkpoints': (of) => rewriteFrom(of, 1),
  'everything deleted': (of) =>
    inLedger(of, (db) => db.exec('DELETE FROM checkpoints; DELETE FROM audit; DELETE FROM heads')),
  'a checkpoint with another time': (of) =>
    inLedger(of, (db) =>
      db.exec(
        "UPDATE checkpoints SET body = json_set(body, '$.body.at', 1) WHERE pos = (SELECT max(pos) FROM checkpoints)",
      ),
    ),
  'a checkpoint that is added without a signature': (of) =>
    inLedger(of, (db) =>
      db.exec(
        "INSERT INTO checkpoints (id, version, body) SELECT '000000000999', 1, json_set(body, '$.body.number', 999) FROM checkpoints ORDER BY pos DESC LIMIT 1",
      ),
    ),
  'a checkpoint that is no JSON': (of) =>
    inLedger(of, (db) => db.exec("UPDATE checkpoints SET body = '{' WHERE pos = (SELECT max(pos) FROM checkpoints)")),
  'the stream renamed': (of) =>
    inLedger(of, (db) =>
      db.exec("UPDATE heads SET stream = 'old'; UPDATE streams SET stream = 'old' WHERE stream = 'main'"),
    ),
  'a stream added': (of) =>
    inLedger(of, (db) =>
      db.exec(
        `INSERT INTO streams (stream) VALUES ('evil'); INSERT INTO heads (stream, seq, hash) VALUES ('evil', 1, '${'a'.repeat(64)}')`,
      ),
    ),
  'the head set back': (of) => inLedger(of, (db) => db.exec('UPDATE heads SET seq = seq - 1')),
  'an entry added by hand': (of) =>
    inLedger(of, (db) => {
      const last = db.prepare('SELECT place, hash, body FROM audit ORDER BY place DESC LIMIT 1').get() ?? {}
      const entry = { ...(JSON.parse(String(last['body'])) as AuditEntry), hash: String(last['hash']) }
      const seq = Number(last['place']) + 1
      const { hash, ...rest } = rehashed(entry, { seq, prev_hash: entry.hash, actor: 'agent:nobody' })
      db.prepare('INSERT INTO audit (place, hash, body) VALUES (?, ?, ?)').run(seq, hash, JSON.stringify(rest))
      db.prepare('UPDATE heads SET seq = ?, hash = ?').run(seq, hash)
    }),
}
/** While no gate runs, an entry that was appended by hand cannot be detected; what was signed stays protected. */
const ONLY_RUNNING = new Set(['an entry added by hand'])

describe('a running gate signs nothing and accepts no calls until an admin accepts the break, after', () => {
  test.each(someOf(Object.entries(ATTACKS), 5))('%s', async (_, attack) => {
    const running = await start()
    await signed(running, 3)
    attack(running)
    const before = stored(running)
    await record(running)
    expect(await running.gate.audit.presentCheckpoint()).toMatchObject({ problem: { code: 'audit.broken' } })
    await broken(running)
    expect(await call(running)).toMatchObject({ status: 'refused', problem: { code: 'audit.broken' } })
    expect(await running.gate.audit.verify([])).toMatchObject({ ok: false })
    expect(stored(running)).toEqual(before)
    await acceptAndGoOn(running)
  })

  test('checkpoints deleted while nothing is recorded', async () => {
    const running = await start()
    await signed(running, 1)
    inLedger(running, (db) => db.exec('DELETE FROM checkpoints'))
    await broken(running)
  })
})

test('the next gate accepts no calls if entries after the last checkpoint were removed and the genuine head of that time was restored', async () => {
  const running = await start(undefined, 3600)
  await signed(running, 1)
  const head = inLedger(running, (db) => db.prepare('SELECT seq, hash, mac FROM heads').get())
  for (let at = 0; at < 3; at += 1) await record(running)
  const [newest, noted] = [lastSeq(running), join(running.folder, 'data/keys/newest-entry.json')]
  await vi.waitFor(() => expect(JSON.parse(readFileSync(noted, 'utf8'))).toMatchObject({ seq: newest }), 60_000)
  // The data folder as it is after a kill at this moment.
  const cut = { folder: mkdtempSync(join(tmpdir(), 'sluice-kept-')) }
  copyLive(join(running.folder, 'data/keys'), join(cut.folder, 'data/keys'))
  inLedger(running, (db) => db.exec(`VACUUM INTO '${ledgerOf(cut)}'`))
  inLedger(cut, (db) => {
    db.exec(`DELETE FROM audit WHERE place > ${String(head?.['seq'])}`)
    db.prepare('UPDATE heads SET seq = ?, hash = ?, mac = ?').run(...(Object.values(head ?? {}) as never[]))
  })
  await running.close()
  const next = await start(cut.folder)
  await record(next)
  await broken(next)
  await acceptAndGoOn(next)
})

/** After the accepted break everything verifies again: in this process, in the next one, and in an export. */
async function acceptAndGoOn(first: Opened): Promise<void> {
  expect(await first.gate.audit.acceptBreak(AGENT, 'why not')).toMatchObject({ problem: { code: 'auth.forbidden' } })
  expect(await first.gate.audit.acceptBreak(ADMIN, 'the disk was repaired')).toMatchObject({ ok: true })
  expect(first.gate.closedBy()).toBeUndefined()
  await signed(first, 2)
  const verified = await first.gate.audit.verify([])
  expect(verified).toMatchObject({ ok: true, breaks: [{ by: ADMIN.id, reason: 'the disk was repaired' }] })
  await first.close()
  expect(await offline(first)).toMatchObject({ value: { ok: true } })
  const second = await start(first.folder)
  expect(second.gate.closedBy()).toBeUndefined()
  await signed(second, 1)
  expect(await second.gate.audit.acceptBreak(ADMIN, 'again')).toMatchObject({
    problem: { code: 'audit.not_broken' },
  })
  const last = (await second.gate.audit.verify([])).streams.find(({ stream }) => stream === 'main')?.seq ?? 0
  expect(await second.gate.audit.prove('main', last)).toMatchObject({ ok: true })
  if (last > 8) expect(await second.gate.audit.prove('main', 1)).toMatchObject({ problem: { code: 'audit.broken' } })
  expect(await checkedAlone(second)).toMatch(/^ok/)
}

describe('a gate that is started signs nothing and accepts no calls after', () => {
  const whileStopped = Object.entries(ATTACKS).filter(([name]) => !ONLY_RUNNING.has(name))
  test.each(someOf(whileStopped, 5))('%s', async (_, attack) => {
    const first = await start()
    await signed(first, 3)
    await first.close()
    attack(first)
    expect(await offline(first)).toMatchObject({ value: { ok: false } })
    const before = stored(first)
    const second = await start(first.folder)
    expect(second.gate.closedBy()).toMatchObject({ code: 'audit.broken' })
    await record(second)
    expect(await second.gate.audit.presentCheckpoint()).toMatchObject({ problem: { code: 'audit.broken' } })
    expect(await call(second)).toMatchObject({ status: 'refused', problem: { code: 'audit.broken' } })
    await second.close()
    expect(stored(first)).toEqual(before)
  })

  test('an old database was put under a newer kept checkpoint', async () => {
    const first = await start()
    await signed(first, 1)
    await first.close()
    inLedger(first, (db) => db.prepare('VACUUM INTO ?').run(`${ledgerOf(first)}.older`))
    const second = await start(first.folder)
    await signed(second, 3)
    await second.close()
    for (const end of ['', '-wal', '-shm']) rmSync(`${ledgerOf(first)}${end}`, { force: true })
    copyFileSync(`${ledgerOf(first)}.older`, ledgerOf(first))
    expect(await offline(first)).toMatchObject({ value: { ok: false, first: { what: 'truncated' } } })
    expect((await start(first.folder)).gate.closedBy()).toMatchObject({ code: 'audit.broken' })
  })

  const EMPTY = '{"v":1}'
  test.each<[string, (kept: string) => string | undefined]>([
    ['was removed', () => undefined],
    ['is not JSON', () => '{'],
    ['has another number', (kept) => kept.replace(/"number":\d+/, '"number":1000')],
    ['has another signature', (kept) => kept.replace(/"signature":"../, '"signature":"00')],
    ['is empty', () => EMPTY],
  ])('the kept checkpoint %s', async (_, change) => {
    const first = await start()
    await signed(first, 2)
    await first.close()
    const text = change(readFileSync(keptOf(first), 'utf8'))
    if (text === undefined) rmSync(keptOf(first))
    else writeFileSync(keptOf(first), text, { mode: 0o600 })
    if (text === EMPTY) inLedger(first, (db) => db.exec('DELETE FROM checkpoints WHERE pos = 1'))
    expect(await offline(first)).toMatchObject({ value: { ok: false } })
    expect((await start(first.folder)).gate.closedBy()).toMatchObject({ code: 'audit.broken' })
  })
})

test('restoring an older kept checkpoint while the gate runs does not change what the gate knows', async () => {
  const running = await start()
  await signed(running, 1)
  const older = readFileSync(keptOf(running))
  await signed(running, 2)
  writeFileSync(keptOf(running), older, { mode: 0o600 })
  inLedger(running, (db) => db.exec('DELETE FROM checkpoints WHERE pos > 1'))
  cutAfter(running, 2)
  await broken(running)
})

test('a gate continues to sign after restarts and key rotations', async () => {
  const first = await start()
  await signed(first, 2)
  expect(await first.gate.identity.rotateKeys(ADMIN, 'checkpoint')).toMatchObject({ ok: true })
  await signed(first, 2)
  await first.close()
  const second = await start(first.folder)
  expect(second.gate.closedBy()).toBeUndefined()
  await signed(second, 2)
  expect(await second.gate.audit.verify([])).toMatchObject({ ok: true })
  expect(second.gate.audit.checkpointKeys()).toMatchObject([{ active: true }, { active: false }])
})

test('a folder of an earlier release without a kept checkpoint is accepted once as it is', async () => {
  const first = await start()
  await signed(first, 2)
  await first.close()
  rmSync(keptOf(first))
  // As it was signed then: without the field that later checkpoints have.
  const key = JSON.parse(readFileSync(join(first.folder, 'data/keys/checkpoint-keys.json'), 'utf8')) as KeyFile
  const keys = createCheckpointKeys(key.active, [])
  let prev = GENESIS
  inLedger(first, (db) => {
    for (const { id, body: text } of db.prepare('SELECT id, body FROM checkpoints ORDER BY pos').all()) {
      const { since_break: _, ...old } = (JSON.parse(String(text)) as Checkpoint).body
      const body = { ...old, prev }
      prev = checkpointHash(body, sha256Hex)
      const checkpoint = { body, ...keys.sign(checkpointText(body)) }
      db.prepare('UPDATE checkpoints SET body = ? WHERE id = ?').run(JSON.stringify(checkpoint), String(id))
    }
  })
  const second = await start(first.folder)
  expect(second.gate.closedBy()).toBeUndefined()
  await signed(second, 1)
  expect(await second.gate.audit.verify([])).toMatchObject({ ok: true })
  await second.close()
  rmSync(keptOf(first))
  expect((await start(first.folder)).gate.closedBy()).toMatchObject({ code: 'audit.broken' })
})

test('a backup whose kept checkpoint is newer than its ledger is restored, and the restore is recorded', async () => {
  const first = await start()
  await signed(first, 2)
  const { folder } = first
  offlineConfig(first)
  const options = { config: join(folder, 'sluice.yaml'), data: join(folder, 'data') }
  const file = join(folder, 'one.backup')
  expect(await backUpData(options, file)).toMatchObject({ ok: true })
  await signed(first, 2)
  await first.close()
  const backup = new DatabaseSync(file)
  const newer = readFileSync(keptOf(first))
  expect(
    backup.prepare("UPDATE backup_files SET bytes = ? WHERE path = 'keys/newest-checkpoint.json'").run(newer).changes,
  ).toBe(1)
  backup.close()
  renameSync(join(folder, 'data'), join(folder, 'old'))
  expect(await restoreData(options, file)).toMatchObject({ ok: true })
  const second = await start(folder)
  expect(second.gate.closedBy()).toBeUndefined()
  await signed(second, 1)
  expect(await second.gate.audit.verify([])).toMatchObject({ ok: true })
  expect(JSON.stringify(await second.gate.audit.page('main', 1, 100))).toContain('ledger.restored')
})

describe('an accepted break', () => {
  test('until then, the finding is remembered after a restart and logged', async () => {
    const first = await start()
    await signed(first, 2)
    rewriteFrom(first, lastSeq(first))
    await record(first)
    await broken(first)
    await vi.waitFor(() => expect(log.join()).toContain('no checkpoint is signed'), 60_000)
    await sleep(2_500)
    expect(log.filter((line) => line.includes('no checkpoint is signed')).length).toBeLessThan(5)
    await first.close()
    const second = await start(first.folder)
    expect(second.gate.closedBy()).toMatchObject({ code: 'audit.broken' })
  })

  test('can be followed by another one', async () => {
    const first = await start()
    for (const reason of ['first', 'second']) {
      await signed(first, 2)
      inLedger(first, (db) => db.exec('DELETE FROM checkpoints WHERE pos = (SELECT max(pos) FROM checkpoints)'))
      await broken(first)
      expect(await first.gate.audit.acceptBreak(ADMIN, reason)).toMatchObject({ ok: true })
    }
    await signed(first, 1)
    const verified = await first.gate.audit.verify([])
    expect(verified).toMatchObject({ ok: true, breaks: [{ reason: 'second' }, { reason: 'first' }] })
  })
})

/** The output of docs/verify-audit.mjs for an export. */
async function checkedAlone(of: Opened): Promise<string> {
  const lines: string[] = []
  for await (const line of of.gate.audit.export(0, 'jsonl')) lines.push(line)
  const file = join(of.folder, 'export.jsonl')
  writeFileSync(file, `${lines.join('\n')}\n`)
  const script = resolve(import.meta.dirname, '../../../../../docs/verify-audit.mjs')
  const keys = gateOf(of)
    .audit.checkpointKeys()
    .flatMap(({ public_key }) => ['--key', public_key])
  return spawnSync(process.execPath, [script, file, ...keys], { encoding: 'utf8' }).output.join('')
}
type KeyFile = { readonly active: Required<CheckpointKey> }
