import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { LAUNCHER } from '../built/built.ts'
import { IS_WHOLE } from '../some-of.ts'

// Every command is a separate process.
vi.setConfig({ testTimeout: 120_000 })

/** The commands of docs/operate, word for word, one section after the other, as an operator would type them. */
const folder = mkdtempSync(join(tmpdir(), 'sluice-pages-'))
const [bin, home, safe] = [join(folder, 'bin'), join(folder, 'home'), join(folder, 'safe')]
const client = join(home, '.cursor/mcp.json')
const CLIENT = '{ "mcpServers": { "book": { "command": "node", "args": ["book.js"] } } }\n'
const env = {
  ...process.env,
  HOME: home,
  XDG_CONFIG_HOME: join(home, '.config'),
  PATH: `${bin}:${process.env['PATH']}`,
}

beforeAll(() => {
  for (const made of [bin, home, safe, join(home, '.cursor')]) mkdirSync(made)
  // Tests install nothing, so `npm` is replaced by a script that records its arguments.
  const programs = { sluice: `exec '${process.execPath}' '${LAUNCHER}' "$@"`, npm: `echo "$@" >> '${folder}/npm.txt'` }
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  writeFileSync(client, CLIENT)
  writeFileSync(join(folder, 'sluice.yaml'), 'listen: { port: 0 }\n')
})
afterAll(() => {
  sh('sluice down')
  rmSync(folder, { recursive: true, force: true })
})

type Ran = { readonly command: string; readonly code: number | null; readonly said: string }

function sh(command: string): Ran {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { cwd: folder, env, encoding: 'utf8' })
  return { command, code: status, said: `${stdout}${stderr}` }
}

/** Runs in the background. */
function up(command: string): Promise<Ran> {
  const child = spawn('sh', ['-c', command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  return new Promise((done) => {
    let said = ''
    child.stderr.on('data', (text) => (said += String(text)))
    child.stdout.on('data', (text) => {
      said += String(text)
      if (said.includes('sluice is up')) done({ command, code: 0, said })
    })
    child.once('exit', (code) => done({ command, code, said }))
  })
}

/** Types the commands of one block of a section. `key_…` is replaced by the id that `keys list` prints for the caller. */
async function type(page: string, heading: string, block: number, revoked = ''): Promise<readonly Ran[]> {
  const text = readFileSync(resolve(import.meta.dirname, `../../../docs/operate/${page}.md`), 'utf8')
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const blocks = [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, inside = '']) => inside)
  const lines = (blocks[block] ?? '').trim().replaceAll('/safe/place', safe).split('\n')
  const ran: Ran[] = []
  for (const line of lines) {
    const listed = ran.at(-1)?.said.split('\n') ?? []
    const command = line.replace('key_…', listed.find((row) => row.includes(revoked))?.split(' ')[0] ?? '')
    ran.push(command.startsWith('sluice up') ? await up(command) : sh(command))
  }
  return ran
}
const failed = (ran: readonly Ran[]) => ran.filter(({ code }) => code !== 0)

test('backup: writes the file and a checkpoint, and the audit verifies against it', async () => {
  await up('sluice up --trust')
  expect(
    failed([...(await type('backup-and-upgrade', 'Backup', 0)), ...(await type('backup-and-upgrade', 'Backup', 1))]),
  ).toEqual([])
  expect(existsSync(join(safe, 'sluice-2026-11-15.backup'))).toBe(true)
})

test('restore: creates the folder from the backup, and a gate runs on it', async () => {
  const ran = await type('backup-and-upgrade', 'Restore', 0)
  expect(failed(ran)).toEqual([])
  expect(ran[2]?.said).toMatch(/the audit verifies, \d+ entries/)
  expect(existsSync(join(folder, '.sluice.old/ledger.sqlite'))).toBe(true)
})

test('a broken audit is found, accepted, and the gate continues', async () => {
  sh('sluice audit checkpoint')
  const ledger = new DatabaseSync(join(folder, '.sluice/ledger.sqlite'), { timeout: 60_000 })
  ledger.exec('DELETE FROM checkpoints')
  ledger.close()
  const [verified, copied] = await type('problems', 'A broken audit', 0)
  expect(verified).toMatchObject({ code: 1, said: expect.stringContaining('BROKEN') as string })
  expect(copied).toMatchObject({ code: 0 })
  expect(failed(await type('problems', 'A broken audit', 1))).toEqual([])
  expect(sh('sluice audit verify')).toMatchObject({ code: 0, said: expect.stringContaining('ticket 4711') as string })
})

test('key rotation: while the gate runs, and the audit still verifies', async () => {
  sh('sluice keys create agent old-agent')
  expect(
    failed([
      ...(await type('problems', 'Rotating signing keys', 0)),
      ...(await type('problems', 'Rotating signing keys', 1, 'agent:old-agent')),
    ]),
  ).toEqual([])
})

test.skipIf(!IS_WHOLE)(
  'a lost key: an admin gets a new one, and a lost keys folder gets new signing keys',
  async () => {
    sh('sluice keys create admin lost')
    expect(failed(await type('problems', 'A lost key', 0, 'admin:lost'))).toEqual([])
    const listed = sh('sluice keys list').said
    expect(listed).toMatch(/agent:old-agent.*revoked/)
    expect(listed).toMatch(/admin:lost.*revoked/)
    const before = readFileSync(join(folder, '.sluice/admin.key'), 'utf8')
    expect(failed([sh('sluice down'), sh('mv .sluice/keys keys.kept')])).toEqual([])
    expect(await up('sluice up')).toMatchObject({ code: 1, said: expect.stringContaining('[key.absent]') as string })
    expect(sh('sluice doctor').said).toMatch(/✗ keys: \S+keys\.json: /)
    expect(failed(await type('problems', 'A lost key', 1))).toEqual([])
    expect(readFileSync(join(folder, '.sluice/admin.key'), 'utf8')).not.toBe(before)
    expect(sh('sluice audit verify')).toMatchObject({ code: 1, said: expect.stringContaining('BROKEN') as string })
    expect(failed(await type('problems', 'A lost key', 2))).toEqual([])
    expect(failed([sh('sluice down')])).toEqual([])
  },
)

test.skipIf(!IS_WHOLE)('upgrade, and back', async () => {
  await up('sluice up')
  expect(failed(await type('backup-and-upgrade', 'Upgrade', 0))).toEqual([])
  expect(failed(await type('backup-and-upgrade', 'Upgrade', 1))).toEqual([])
  expect(readFileSync(join(folder, 'npm.txt'), 'utf8')).toMatch(/install\n/)
})

test('uninstall: the client files are restored, and the gate and its data are gone', async () => {
  expect(failed([sh('sluice init --write --yes')])).toEqual([])
  expect(readFileSync(client, 'utf8')).toContain('"sluice"')
  expect(failed(await type('install', 'Uninstall', 0))).toEqual([])
  expect(readFileSync(client, 'utf8')).toBe(CLIENT)
  expect(existsSync(join(folder, '.sluice'))).toBe(false)
  expect(readFileSync(join(folder, 'npm.txt'), 'utf8')).toMatch(/^uninstall -g sluice\n$/m)
})
