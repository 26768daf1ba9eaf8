import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serversReachingData } from '../servers-reaching-data.ts'
import { backUpData } from '../backup.ts'
import { restoreData } from '../restore.ts'
import { checkReach, doctor as examine } from '../doctor/doctor.ts'
import { loadConfig } from '../load-config.ts'
import { openServerFolders } from '../open-tools.ts'
import { verifyOffline } from '../verify-offline.ts'
import type { DoctorReport } from '../../kernel/contract/doctor.ts'
import { configure, run, startGate, trustConfig, type RunningGate } from '../../../test/helpers/with-running-gate.ts'

let gate: RunningGate & { stop(): Promise<void> }
const elsewhere = mkdtempSync(join(tmpdir(), 'sluice-elsewhere-'))
beforeAll(async () => void (gate = await startGate()))
afterAll(async () => {
  await gate.stop()
  rmSync(elsewhere, { recursive: true, force: true })
})

/** Replaces a file, as the gate does, and creates and removes others, until it is killed. */
const CHANGE_FILES = `
const { renameSync, rmSync, writeFileSync } = require('node:fs')
process.chdir(process.argv[1])
process.stdout.write('ready')
for (;;) {
  writeFileSync('kept.1.new', 'x')
  renameSync('kept.1.new', 'kept')
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(name, 'x')
  for (const name of ['a', 'b', 'c', 'd']) rmSync(name)
}`

const portOf = (server: Server) => (server.address() as AddressInfo).port
const inFolder = (folder: string) => ({ config: join(folder, 'sluice.yaml') })
const doctor = (folder: string) => examine(inFolder(folder))
const textsOf = ({ findings }: DoctorReport, severity: string) =>
  findings.filter((finding) => finding.severity === severity).map(({ about, says }) => `${about}: ${says}`)

describe('sluice doctor', () => {
  test('finds no error with a running gate, and says what it cannot check', async () => {
    const report = await doctor(gate.folder)
    expect([report.ok, textsOf(report, 'error')]).toEqual([true, []])
    expect(textsOf(report, 'ok').join('\n')).toMatch(/gate: running, version [\s\S]*server book: \d+ tools/)
    expect(textsOf(report, 'note').join('\n')).toContain('what a gate cannot see')
    const { out, code } = await run(gate.folder, ['doctor'])
    expect(code).toBe(0)
    expect(out).toContain('✓ server book')
    expect(out).toMatch(/0 errors, \d+ warnings?, \d+ notes?\n$/)
  })

  test('without a gate, starts each server and reports everything that is wrong, with remedies', async () => {
    const folder = join(elsewhere, 'sick')
    const taken = createServer().listen(0, '127.0.0.1')
    await new Promise((done) => taken.once('listening', done))
    const port = portOf(taken)
    mkdirSync(join(folder, '.sluice'), { recursive: true })
    chmodSync(join(folder, '.sluice'), 0o755)
    const book = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../../../test/tool-servers/effects.ts')],
      env: { EFFECTS: join(folder, 'x') },
    }
    const broken = { command: 'node', args: ['-e', 'console.error("no license"); process.exit(1)'] }
    const page = createHttpServer((_, response) => response.setHeader('content-type', 'text/html').end('<p>'))
    await new Promise<void>((done) => page.listen(0, '127.0.0.1', done))
    const remote = { away: { url: 'http://127.0.0.1:1/mcp' }, page: { url: `http://127.0.0.1:${portOf(page)}/mcp` } }
    const settings = { listen: { port }, policy: { preset: 'observe' }, servers: { book, broken, ...remote } }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(settings))
    const untried = await doctor(folder)
    trustConfig(folder)
    const report = await doctor(folder)
    taken.close()
    page.close()
    expect(textsOf(untried, 'error').join('\n')).not.toMatch(/server (?:broken|away|page): was tried/)
    expect(textsOf(untried, 'note').join('\n')).toMatch(/trust: you have not trusted \S+sick/)
    expect(report.ok).toBe(false)
    const errors = textsOf(report, 'error').join('\n')
    expect(errors).toMatch(/data folder: .* is readable by other users \(755\)/)
    expect(errors).toContain(
      `port: the gate cannot listen on 127.0.0.1:${port}: another program uses this port (EADDRINUSE)`,
    )
    expect(errors).toMatch(
      /server broken: was tried and does not work: it did not answer \(exit code 1\)\n[\s\S]*no license/,
    )
    expect(errors).toContain(
      'server away: was tried and does not work: it did not answer (could not be reached: ECONNREFUSED)',
    )
    expect(errors).toContain('server page: was tried and does not work: it answered with text/html, not MCP')
    const remedyOf = (about: string) => report.findings.find((finding) => finding.about === about)?.do
    expect(remedyOf('server away')).toBe('correct `servers.away`, or check that it runs at its `url`')
    expect(remedyOf('server broken')).toContain('run its command by hand')
    expect(textsOf(report, 'ok').join('\n')).toMatch(/server book: starts and lists \d+ tools/)
    expect(textsOf(report, 'warning').join('\n')).toContain('policy: the preset is observe')
    expect(
      report.findings.filter(({ severity }) => severity === 'error').every(({ do: remedy }) => remedy !== undefined),
    ).toBe(true)
  })

  test('warns of file servers that can reach the data folder through their arguments, sandbox or working folder', async () => {
    const folder = join(elsewhere, 'around')
    mkdirSync(join(folder, 'notes'), { recursive: true })
    symlinkSync('.', join(folder, 'here'))
    const servers = {
      args: { command: 'x-files', args: [folder], cwd: './notes' },
      option: { command: 'x', args: ['--root=.'], cwd: './notes' },
      linked: { command: 'x', args: ['./here'], cwd: './notes' },
      boxed: { url: 'http://127.0.0.1:1', sandbox: { roots: ['..'] } },
      cwd: { command: 'filesystem-server' },
      apart: { command: 'x-files', args: ['./notes'], cwd: './notes', sandbox: { roots: ['./notes'] } },
      plain: { command: 'weather' },
      contained: { command: 'docker', args: ['run', '-i', 'git-files', '.'] },
      volume: { command: '/usr/bin/docker', args: ['run', '-v', `${folder}:/data:ro`, 'x'] },
      mount: { command: 'podman', args: ['run', `--mount=type=bind,source=${folder},target=/data`, 'x'] },
    }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ servers }))
    const settings = loadConfig(join(folder, 'sluice.yaml'), true)
    if (!settings.ok) throw new Error(JSON.stringify(settings.problem))
    expect(serversReachingData(settings.value).map(({ server }) => server)).toEqual([
      'args',
      'option',
      'linked',
      'boxed',
      'cwd',
      'volume',
      'mount',
    ])
    expect(checkReach(settings.value)[0]).toMatchObject({ severity: 'warning', about: 'server args' })
    expect(
      serversReachingData({ ...settings.value, data: join(elsewhere, 'away/.sluice') }).map(({ server }) => server),
    ).toEqual(['boxed'])
  })

  test('warns if other machines can reach the gate', async () => {
    const folder = join(elsewhere, 'open')
    mkdirSync(folder)
    writeFileSync(join(folder, 'sluice.yaml'), 'listen: { host: 0.0.0.0, port: 0 }\n')
    expect(textsOf(await doctor(folder), 'warning').join('\n')).toContain('listen: it listens on 0.0.0.0:0')
  })
})

test('a start that cannot work says why and exits', async () => {
  const folder = join(elsewhere, 'no-start')
  mkdirSync(folder)
  writeFileSync(join(folder, 'sluice.yaml'), 'listen: { port: 0 }\n')
  const port = await run(folder, ['up', '--port', 'abc'])
  expect([port.code, port.err]).toEqual([64, expect.stringContaining('expected a port number')])
  const file = await run(folder, ['--data', join(folder, 'sluice.yaml'), 'up', '--trust'])
  expect([file.code, file.err]).toEqual([1, expect.stringContaining('[data.unusable]')])
})

test('a folder is not opened from outside while a gate runs on it, which may be of an older release', async () => {
  expect(await verifyOffline(inFolder(gate.folder), [])).toMatchObject({ problem: { code: 'gate.running' } })
  const { findings } = await doctor(gate.folder)
  expect(findings).toContainEqual(expect.objectContaining({ severity: 'ok', about: 'audit' }))
})

describe('sluice backup and restore', () => {
  test('a backup of a running gate becomes a data folder whose audit verifies, with its keys and calls', async () => {
    const file = join(elsewhere, 'gate.backup')
    const made = await gate.cli('backup', file)
    expect([made.code, made.err]).toEqual([0, ''])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(await backUpData(inFolder(gate.folder), file)).toMatchObject({ ok: false })

    const folder = join(elsewhere, 'restored')
    mkdirSync(folder)
    configure(folder)
    const restored = await restoreData(inFolder(folder), file)
    expect(restored).toMatchObject({ ok: true, value: { data: join(folder, '.sluice') } })
    const before = JSON.parse((await gate.cli('--json', 'audit', 'verify')).out) as { entries: number }
    expect(restored.ok && restored.value.entries).toBe(before.entries)
    const keys = (base: string) => readFileSync(join(base, '.sluice/keys/checkpoint-keys.json'), 'utf8')
    expect(keys(folder)).toBe(keys(gate.folder))
    expect(await restoreData(inFolder(folder), file)).toMatchObject({
      problem: { code: 'backup.unusable', about: { why: 'the data folder is not empty; move it away first' } },
    })
  })

  test('a backup does not fail if files are replaced and removed meanwhile, and contains no unfinished ones', async () => {
    const folder = join(gate.folder, '.sluice/changing')
    mkdirSync(folder)
    const changing = spawn(process.execPath, ['-e', CHANGE_FILES, folder])
    await once(changing.stdout, 'data')
    try {
      for (let nth = 0; nth < 8; nth += 1) {
        const file = join(elsewhere, `changing-${nth}.backup`)
        expect(await backUpData(inFolder(gate.folder), file)).toMatchObject({ ok: true })
        const backup = new DatabaseSync(file)
        const paths = backup.prepare('SELECT path FROM backup_files').all()
        backup.close()
        expect(paths.filter(({ path }) => /\.(?:new|part)$/.test(String(path)))).toEqual([])
      }
    } finally {
      changing.kill('SIGKILL')
      await once(changing, 'close')
      rmSync(folder, { recursive: true })
    }
  })

  test('a backup that cannot be written names the file that was asked for', async () => {
    const file = join(elsewhere, 'no-such-folder/all.backup')
    const problem = { code: 'backup.not_written', about: { file } }
    expect(await backUpData(inFolder(gate.folder), file)).toMatchObject({ ok: false, problem })
  })

  test('a file that is not a backup, or was tampered with, is not restored', async () => {
    const folder = join(elsewhere, 'tampered')
    mkdirSync(folder)
    configure(folder)
    writeFileSync(join(folder, 'no.backup'), 'hello')
    const restore = (name: string) => restoreData(inFolder(folder), name)
    expect(await restore(join(folder, 'no.backup'))).toMatchObject({ problem: { code: 'backup.unusable' } })
    const file = join(elsewhere, 'tampered.backup')
    await backUpData(inFolder(gate.folder), file)
    const db = new DatabaseSync(file)
    const changed = db.prepare('DELETE FROM audit WHERE place = 2').run()
    db.close()
    expect(changed.changes).toBe(1)
    expect(await restore(file)).toMatchObject({ problem: { about: { why: 'its audit does not verify' } } })
    expect(existsSync(join(folder, '.sluice'))).toBe(false)
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })
})

test('files that tool servers kept inside a data folder are moved next to it, and nothing there is replaced', () => {
  const data = join(elsewhere, 'older/.sluice')
  mkdirSync(join(data, 'servers/outbox'), { recursive: true })
  mkdirSync(join(data, 'servers/notes'))
  mkdirSync(`${data}-servers/notes`, { recursive: true })
  writeFileSync(join(data, 'servers/outbox/outbox.jsonl'), 'old')
  writeFileSync(join(data, 'servers/notes/n'), 'old')
  writeFileSync(`${data}-servers/notes/n`, 'new')
  openServerFolders(data, [])
  expect(readFileSync(`${data}-servers/outbox/outbox.jsonl`, 'utf8')).toBe('old')
  expect(readFileSync(`${data}-servers/notes/n`, 'utf8')).toBe('new')
  expect(readdirSync(join(data, 'servers'))).toEqual(['notes'])
})
