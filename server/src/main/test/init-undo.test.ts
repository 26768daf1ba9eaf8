import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { clientFiles, type ClientFile } from '../init/client-files.ts'
import { hookPlaces } from '../../guests/hooks/hook-places.ts'
import { init } from './init-here.suite.ts'
import { readJsonc } from '../../adapters/files/jsonc.ts'
import { IS_WHOLE } from '../../../test/some-of.ts'
import type { InitOptions } from '../init/init-report.ts'

vi.setConfig({ testTimeout: 120_000 })

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-undo-'))
  mkdirSync(join(root, 'home'))
  mkdirSync(join(root, 'project'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

type Platform = 'linux' | 'darwin' | 'win32'
const around = (platform: Platform = 'linux', base = root) => ({
  home: join(base, 'home'),
  cwd: join(base, 'project'),
  platform,
  env: {},
})
const options = () => ({ config: join(root, 'project/sluice.yaml') })
const wish = (more: Partial<InitOptions>): InitOptions => ({
  from: [],
  write: false,
  hooks: true,
  undo: false,
  dry_run: false,
  ...more,
})
const run = (more: Partial<InitOptions>, platform?: Platform) => init(options(), wish(more), around(platform))
function write(file: string, bytes: string | Buffer): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, bytes)
  return file
}

/** Every file, folder and link below the folders of the user and of the project, except what belongs to the gate. */
function everything(): Record<string, string> {
  const found: Record<string, string> = {}
  const walk = (folder: string) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      const shown = path.slice(root.length + 1)
      if (/^project\/\.?sluice/.test(shown)) continue
      const stat = lstatSync(path)
      const mode = (stat.mode & 0o777).toString(8)
      if (stat.isSymbolicLink()) found[shown] = `link to ${readlinkSync(path)}`
      else if (stat.isDirectory()) {
        found[shown] = `folder ${mode}`
        walk(path)
      } else found[shown] = `${mode} ${readFileSync(path).toString('base64')}`
    }
  }
  walk(root)
  return found
}

const SERVERS = { one: { command: 'node', args: ['one.js'] }, off: { command: 'x', disabled: true } }

/** A file of this client with one server that is moved and one that is not. */
function textFor({ at, format }: Pick<ClientFile, 'at' | 'format'>): string {
  if (format === 'toml')
    return '# mine\nmodel = "x"\n\n# one\n[mcp_servers.one] # yes\ncommand = "node"\nargs = [\n  "one.js",\n]\n\n[mcp_servers.off]\ncommand = "x"\nenabled = false\n'
  if (format === 'yaml' && at[0] === 'mcpServers')
    return '# mine\nmcpServers:\n  # one\n  - name: one\n    command: node # yes\n    args: [one.js]\nother: 1\n'
  if (format === 'yaml')
    return '# mine\nextensions:\n  # one\n  one:\n    type: stdio\n    cmd: node # yes\n    args: [one.js]\n  off: { type: builtin }\nother: 1\n'
  const inner = at.reduceRight<unknown>((value, key) => ({ [key]: value }), SERVERS) as object
  return `${JSON.stringify({ theme: 'dark', ...inner, end: [1] }, null, 2)}\n`
}

/** Ways in which the same file may be written. */
const SHAPES: Readonly<Record<string, (text: string, format: ClientFile['format']) => string | Buffer>> = {
  'as usual': (text) => text,
  'with Windows line ends': (text) => text.replaceAll('\n', '\r\n'),
  'with a byte order mark': (text, format) => (format === 'yaml' ? text : `\uFEFF${text}`),
  'with tabs': (text, format) => (format === 'yaml' ? text : text.replaceAll('  ', '\t')),
  'without a last line end': (text) => text.trimEnd(),
  'on one line': (text, format) => (format === 'json' ? JSON.stringify(JSON.parse(text)) : text),
  'with comments and trailing commas': (text, format) =>
    format === 'json' ? text.replace('{', '{ // mine').replace('"end": [\n    1\n  ]', '/* end */ "end": [1,],') : text,
  'with letters of many languages': (text) => text.replace('mine', 'Größe 設定').replace('dark', 'dünkel 🌒'),
}

const PLACES = (['linux', 'darwin', 'win32'] as const).flatMap((platform) =>
  clientFiles(around(platform, '')).map((place, at) => ({ platform, at, client: place.client, file: place.file })),
)
const placeOf = ({ platform, at }: (typeof PLACES)[number]): ClientFile => {
  const place = clientFiles(around(platform))[at]
  if (place === undefined) throw new Error('no such place')
  return place
}
const changedFiles = (done: ReturnType<typeof run>) => (done.ok ? done.value.changed.map(({ file }) => file) : done)

describe('undo restores everything, byte for byte', () => {
  test.each(PLACES)('of $client on $platform, in $file', (each) => {
    const place = placeOf(each)
    const all = Object.entries(SHAPES)
    for (const [shape, shaped] of IS_WHOLE ? all : all.slice(each.at % all.length).slice(0, 1)) {
      write(place.file, shaped(textFor(place), place.format))
      chmodSync(place.file, 0o640)
      const before = everything()
      expect([shape, changedFiles(run({ write: true }, each.platform))]).toEqual([
        shape,
        expect.arrayContaining([place.file]),
      ])
      expect(lstatSync(place.file).mode & 0o777).toBe(0o640)
      const after = everything()
      expect([shape, changedFiles(run({ write: true }, each.platform))]).toEqual([shape, []])
      expect(everything()).toEqual(after)
      expect([shape, run({ undo: true }, each.platform).ok]).toEqual([shape, true])
      expect(everything()).toEqual(before)
    }
  })

  test.each(hookPlaces(around('linux', '')))(
    'of $client, whose file $file and its folder do not exist',
    ({ client }) => {
      const place = hookPlaces(around()).find((each) => each.client === client)
      mkdirSync(place?.home ?? '', { recursive: true })
      const before = everything()
      expect(changedFiles(run({ write: true }))).toContain(place?.file)
      expect(run({ undo: true }).ok).toBe(true)
      expect(everything()).toEqual(before)
    },
  )

  test.each(hookPlaces(around('linux', '')))('of $client, whose file $file is empty', ({ client }) => {
    const place = hookPlaces(around()).find((each) => each.client === client)
    write(place?.file ?? '', '')
    const before = everything()
    expect(changedFiles(run({ write: true }))).toContain(place?.file)
    expect(run({ undo: true }).ok).toBe(true)
    expect(everything()).toEqual(before)
  })

  test('of files that are links into a folder of dotfiles, also to a file that is not there yet', () => {
    const real = write(join(root, 'dotfiles/cursor/mcp.json'), textFor({ at: ['mcpServers'], format: 'json' }))
    mkdirSync(join(root, 'home/.cursor'))
    symlinkSync('../../dotfiles/cursor/mcp.json', join(root, 'home/.cursor/mcp.json'))
    symlinkSync('../../dotfiles/new/hooks.json', join(root, 'home/.cursor/hooks.json'))
    symlinkSync(join(root, 'dotfiles/codex'), join(root, 'home/.codex'))
    mkdirSync(join(root, 'dotfiles/codex'))
    // The same file by another path.
    mkdirSync(join(root, 'project/.cursor'))
    symlinkSync(real, join(root, 'project/.cursor/mcp.json'))
    const before = everything()
    run({ write: true })
    expect(readFileSync(real, 'utf8').match(/"--agent"/g)).toHaveLength(1)
    expect(existsSync(join(root, 'dotfiles/new/hooks.json'))).toBe(true)
    expect(lstatSync(join(root, 'home/.cursor/hooks.json')).isSymbolicLink()).toBe(true)
    expect(run({ undo: true }).ok).toBe(true)
    expect(everything()).toEqual(before)
  })

  test('of a folder into which somebody has put something since, which stays', () => {
    mkdirSync(join(root, 'home/.copilot'))
    run({ write: true })
    write(join(root, 'home/.copilot/hooks/mine.json'), '{}')
    expect(run({ undo: true }).ok).toBe(true)
    expect(readdirSync(join(root, 'home/.copilot/hooks'))).toEqual(['mine.json'])
  })
})

describe('nothing is lost', () => {
  test.each(PLACES.filter(({ platform }) => platform === 'linux'))(
    'of an edit to $file between write and undo: undo refuses, or keeps it',
    (each) => {
      const place = placeOf(each)
      write(place.file, textFor(place))
      run({ write: true })
      const edited = readFileSync(place.file, 'utf8').replace('{', '{ "added": "later",').replace('# mine', '# later')
      writeFileSync(place.file, edited)
      const now = everything()
      const undone = run({ undo: true })
      if (undone.ok) expect(readFileSync(place.file, 'utf8')).toContain('later')
      else {
        expect(undone.problem).toMatchObject({ code: 'init.changed_since', about: { files: place.file } })
        expect(everything()).toEqual(now)
      }
    },
  )

  test('of what a client writes to its file: undo keeps it, and puts the servers back', () => {
    const file = write(join(root, 'home/.claude.json'), textFor({ at: ['mcpServers'], format: 'json' }))
    const gemini = write(join(root, 'home/.gemini/settings.json'), textFor({ at: ['mcpServers'], format: 'json' }))
    run({ write: true })
    for (const each of [file, gemini]) {
      const now = JSON.parse(readFileSync(each, 'utf8')) as { mcpServers: object }
      const mcpServers = { ...now.mcpServers, added: { command: 'later' } }
      writeFileSync(each, JSON.stringify({ ...now, mcpServers, numStartups: 7 }, null, 4))
    }
    const undone = run({ undo: true })
    expect(undone.ok ? undone.value.notes : undone).toEqual([
      expect.stringContaining(`${file} was changed since`),
      expect.stringContaining(`${gemini} was changed since`),
    ])
    for (const each of [file, gemini])
      expect(JSON.parse(readFileSync(each, 'utf8'))).toMatchObject({
        theme: 'dark',
        numStartups: 7,
        mcpServers: { ...SERVERS, added: { command: 'later' } },
      })
    expect(readFileSync(file, 'utf8') + readFileSync(gemini, 'utf8')).not.toContain('sluice')
    expect(run({ undo: true })).toMatchObject({ problem: { code: 'init.nothing_to_undo' } })
  })

  test('of a file that is not text in UTF-8, is a folder, or is no file at all: it is not changed, and named', () => {
    const latin = write(
      join(root, 'home/.cursor/mcp.json'),
      Buffer.from('{"mcpServers":{"a":{"command":"\xe4"}}}', 'latin1'),
    )
    const utf16 = write(join(root, 'home/.codeium/windsurf/mcp_config.json'), Buffer.from('\uFEFF{}', 'utf16le'))
    mkdirSync(join(root, 'home/.claude.json'))
    write(join(root, 'home/.gemini/settings.json'), Buffer.from('{"a":"\xe4"}', 'latin1'))
    mkdirSync(join(root, 'home/.codex/hooks.json'), { recursive: true })
    const circle = join(root, 'home/.qwen/settings.json')
    mkdirSync(dirname(circle))
    symlinkSync(circle, circle)
    const before = everything()
    const done = run({ write: true, from: ['cursor', 'windsurf', 'claude-code', 'gemini'] })
    const notes = done.ok ? done.value.notes.join('\n') : ''
    for (const file of [latin, utf16, join(root, 'home/.claude.json'), join(root, 'home/.gemini/settings.json')])
      expect(notes).toContain(file)
    expect(run({ undo: true }).ok).toBe(true)
    expect(everything()).toEqual(before)
  })

  test.each([
    ['another server called `sluice`', { command: 'x', disabled: true }],
    [
      'an entry for the gate of /other/sluice.yaml',
      { command: 'sluice', args: ['mcp', '--config', '/other/sluice.yaml'] },
    ],
  ])('of %s: the file is not changed, and that is said', (what, entry) => {
    const text = JSON.stringify({ mcpServers: { one: { command: 'node' }, sluice: entry } })
    const file = write(join(root, 'home/.cursor/mcp.json'), text)
    const done = run({ write: true })
    expect(done.ok ? done.value.notes : done).toContainEqual(expect.stringContaining(`${file} already has ${what}`))
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('if one file cannot be written: those before it are restored, and that is said', () => {
    write(join(root, 'home/.cursor/mcp.json'), textFor({ at: ['mcpServers'], format: 'json' }))
    // The name of its next version is longer than file systems allow, which stops root too.
    const locked = write(join(root, 'home', `${'x'.repeat(240)}.json`), '{"mcpServers":{"a":{"command":"a"}}}')
    const before = everything()
    const done = run({ write: true, from: ['cursor', locked] })
    expect(done).toMatchObject({ problem: { code: 'init.client_not_written', about: { file: locked } } })
    expect(everything()).toEqual(before)
    expect(run({ undo: true })).toMatchObject({ problem: { code: 'init.nothing_to_undo' } })
  })
})

describe('a process that is killed at any of its writes', () => {
  const STEP = IS_WHOLE ? 1 : 9
  const PARTS = join(import.meta.dirname, 'kill-at-write.mjs')
  /** Kills `init` at its nth change; false if it has ended before. */
  function killed(n: number, more: Partial<InitOptions>): boolean {
    const env = {
      ...process.env,
      KILL_AT: String(n),
      INIT: JSON.stringify({ options: options(), wish: wish(more), around: around() }),
    }
    const { signal, status, stderr } = spawnSync(process.execPath, [PARTS], { env, encoding: 'utf8' })
    if (signal === null && status !== 0) throw new Error(stderr)
    return signal === 'SIGKILL'
  }
  function prepare(): Record<string, string> {
    rmSync(root, { recursive: true, force: true })
    mkdirSync(join(root, 'project'), { recursive: true })
    const real = write(join(root, 'dotfiles/mcp.json'), textFor({ at: ['mcpServers'], format: 'json' }))
    mkdirSync(join(root, 'home/.cursor'), { recursive: true })
    symlinkSync(real, join(root, 'home/.cursor/mcp.json'))
    mkdirSync(join(root, 'home/.copilot'))
    return everything()
  }
  const undoAll = () => {
    while (run({ undo: true }).ok);
  }
  const contents = (file: string) => readJsonc(readFileSync(file, 'utf8')) as object

  test('of write can be undone, also after another write', () => {
    let n = 0
    for (let isKilled = true; isKilled; n += STEP) {
      const before = prepare()
      isKilled = killed(n, { write: true })
      // At every moment the client has either its old file or its new one.
      contents(join(root, 'dotfiles/mcp.json'))
      if ((n / STEP) % 2 === 1) expect(run({ write: true }).ok).toBe(true)
      undoAll()
      expect([n, everything()]).toEqual([n, before])
    }
    expect(n).toBeGreaterThan(20)
  })

  test('of undo can be undone to the end', () => {
    let n = 0
    for (let isKilled = true; isKilled; n += STEP) {
      const before = prepare()
      run({ write: true })
      isKilled = killed(n, { undo: true })
      undoAll()
      expect([n, everything()]).toEqual([n, before])
    }
    expect(n).toBeGreaterThan(5)
  })
})
