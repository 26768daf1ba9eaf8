import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FileFacts } from '../../kernel/ports/files.ts'
import { readConfig } from '../../../test/read-config.ts'
import { localFiles } from './local-files.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-paths-')))
const at = (path: string) => join(folder, path)

beforeAll(() => {
  for (const path of ['work/sub', 'base', 'far']) mkdirSync(at(path), { recursive: true })
  writeFileSync(at('work/file'), '')
  const links = {
    'work/link': '../far',
    'work/dangling': '../far/not/yet',
    'work/hop': 'link/x',
    'work/round': 'about',
    'work/about': 'round',
    'work/absolute': at('far'),
    'root-link': 'work',
  }
  for (const [path, to] of Object.entries(links)) symlinkSync(to, at(path))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function filesWith(server: object) {
  const config = readConfig({ servers: { s: { command: 'x', cwd: './work', ...server } } })
  if (!config.ok) throw new Error(JSON.stringify(config.problem))
  return localFiles(config.value.servers, folder)
}
const files = filesWith({})
const leadOf = async (some: FileFacts, server: string, path: string) => (await some.look(server).follow(path))?.lead

describe('a path leads', () => {
  test.each([
    ['file', 'work/file'],
    ['./sub/./file', 'work/sub/file'],
    ['not/there/yet', 'work/not/there/yet'],
    ['link', 'far'],
    ['link/x', 'far/x'],
    ['link/..', ''],
    ['link/../x', 'x'],
    ['dangling', 'far/not/yet'],
    ['dangling/more', 'far/not/yet/more'],
    ['hop/y', 'far/x/y'],
    ['absolute/z', 'far/z'],
    ['file/below', 'work/file/below'],
    ['gone/../link', 'far'],
    ['../../../../../../../../..', '/'],
  ])('%s to %s', async (path, to) => {
    expect(await leadOf(files, 's', path)).toBe(to === '/' ? '/' : at(to).replace(/\/$/, ''))
  })

  test('from the server`s base, its working folder, or the config file`s folder', async () => {
    expect(await leadOf(filesWith({ sandbox: { roots: ['.'], base: './base' } }), 's', 'a')).toBe(at('base/a'))
    expect(await leadOf(files, 'other', 'a')).toBe(at('a'))
    expect(await leadOf(files, 's', at('x'))).toBe(at('x'))
  })

  test('to an unknown place, if links are circular or a folder cannot be entered', async () => {
    expect(await leadOf(files, 's', 'round')).toBeUndefined()
    expect(await leadOf(files, 's', 'a\0b')).toBeUndefined()
    mkdirSync(at('closed/inner'), { recursive: true })
    chmodSync(at('closed'), 0o000)
    const isRoot = process.getuid?.() === 0
    expect(await leadOf(files, 's', '../closed/inner')).toBe(isRoot ? at('closed/inner') : undefined)
    chmodSync(at('closed'), 0o700)
  })

  test('for the configuration from its folder or from home, links followed', async () => {
    expect(await files.configured('./root-link/sub')).toBe(at('work/sub'))
    expect(await files.configured('~/x')).toBe(join(realpathSync(homedir()), 'x'))
  })

  test('from a home that the operator gave the server', () => {
    expect(filesWith({ env: { HOME: '/home/bot' } }).home('s')).toBe('/home/bot')
    expect(files.home('s')).toBe(homedir())
  })
})
