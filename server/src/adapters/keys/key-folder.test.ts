import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TokenClaims } from '../../kernel/ports/keys.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { CHECKPOINT_FILE, openKeys, rotateCheckpointKey, rotateTokenKey, TOKEN_FILE, type Keys } from './key-folder.ts'

const NOW = 1_700_000_000_000
const claims: TokenClaims = {
  approval_id: 'auth_0123456789abcdef',
  tool_id: 't',
  definition_hash: 'd',
  args_hash: 'a',
  thread: 't1',
  user: 'ada',
  expires_at: NOW,
  packet_digest: 'd'.repeat(64),
}

let home = ''
let folder = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-keys-'))
  folder = join(home, 'keys')
})
afterEach(() => {
  rmSync(home, { recursive: true, force: true })
})

const open = (more: Partial<Parameters<typeof openKeys>[0]> = {}) =>
  openKeys({ folder, fresh: false, env: {}, ...more })
const valueOf = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  return result.value
}
const aboutOf = (result: Result<unknown>) =>
  result.ok ? undefined : { code: result.problem.code, ...result.problem.about }
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const accepts = (keys: Keys, token: string) => {
  const [, seconds = '', nonce = '', mac = ''] = token.split('.')
  return keys.tokens.isGenuine({ seconds: Number(seconds), nonce, mac }, claims)
}

describe('a key folder', () => {
  test('a fresh one gets its keys, for the owner only, and the next start reads the same', () => {
    const first = valueOf(open({ fresh: true }))
    expect([modeOf(folder), modeOf(join(folder, TOKEN_FILE)), modeOf(join(folder, CHECKPOINT_FILE))]).toEqual([
      '700',
      '600',
      '600',
    ])
    expect(readdirSync(folder).toSorted()).toEqual([CHECKPOINT_FILE, TOKEN_FILE])
    const again = valueOf(open())
    expect(accepts(again, first.tokens.mint(claims, NOW))).toBe(true)
    const { key, signature } = first.checkpoints.sign('x')
    expect(again.checkpoints.isGenuine('x', key, signature)).toBe(true)
  })

  test('a start that calls the folder fresh again changes no key', () => {
    valueOf(open({ fresh: true }))
    const before = readFileSync(join(folder, TOKEN_FILE), 'utf8')
    valueOf(open({ fresh: true }))
    expect(readFileSync(join(folder, TOKEN_FILE), 'utf8')).toBe(before)
  })

  test.each([TOKEN_FILE, CHECKPOINT_FILE])('a lost %s stops the start and is not created again', (name) => {
    valueOf(open({ fresh: true }))
    rmSync(join(folder, name))
    expect(aboutOf(open())).toEqual({ code: 'key.absent', file: join(folder, name), why: 'missing' })
    expect(existsSync(join(folder, name))).toBe(false)
  })

  test.each<[string, string, string]>([
    ['empty', TOKEN_FILE, ''],
    ['null', TOKEN_FILE, 'null'],
    ['a short key', TOKEN_FILE, JSON.stringify({ v: 1, active: 'ab'.repeat(31) })],
    ['a key of zeros', TOKEN_FILE, JSON.stringify({ v: 1, active: '0'.repeat(64) })],
    ['a short previous key', TOKEN_FILE, JSON.stringify({ v: 1, active: 'ab'.repeat(32), previous: 'ab' })],
    ['another version', TOKEN_FILE, JSON.stringify({ v: 2, active: 'ab'.repeat(32) })],
    ['null', CHECKPOINT_FILE, 'null'],
    ['no seed', CHECKPOINT_FILE, JSON.stringify({ v: 1, active: { public: 'ab'.repeat(32) }, retired: [] })],
    [
      'a seed of another key',
      CHECKPOINT_FILE,
      JSON.stringify({ v: 1, active: { public: 'ab'.repeat(32), seed: 'cd'.repeat(32) }, retired: [] }),
    ],
  ])('%s in %s is rejected, even in a fresh folder, and is not changed', (_, name, text) => {
    valueOf(open({ fresh: true }))
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    for (const fresh of [true, false]) {
      expect(aboutOf(open({ fresh }))).toMatchObject({ code: 'key.absent', file: join(folder, name) })
    }
    expect(readFileSync(join(folder, name), 'utf8')).toBe(text)
  })

  test('an invalid retired key is rejected', () => {
    valueOf(open({ fresh: true }))
    const file = join(folder, CHECKPOINT_FILE)
    const good = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...good, retired: [null] }))
    expect(aboutOf(open())).toMatchObject({ code: 'key.absent', file })
  })

  test('files and folders that others can read are rejected with their mode', () => {
    valueOf(open({ fresh: true }))
    chmodSync(join(folder, TOKEN_FILE), 0o640)
    expect(aboutOf(open())).toMatchObject({ code: 'key.absent', file: join(folder, TOKEN_FILE), mode: '0640' })
    chmodSync(join(folder, TOKEN_FILE), 0o600)
    chmodSync(folder, 0o755)
    expect(aboutOf(open())).toMatchObject({ code: 'key.absent', file: folder, mode: '0755' })
  })

  test('a symbolic link is not followed', () => {
    valueOf(open({ fresh: true }))
    const elsewhere = join(home, 'elsewhere.json')
    writeFileSync(elsewhere, readFileSync(join(folder, TOKEN_FILE)), { mode: 0o600 })
    rmSync(join(folder, TOKEN_FILE))
    symlinkSync(elsewhere, join(folder, TOKEN_FILE))
    expect(aboutOf(open())).toMatchObject({ code: 'key.absent', why: 'not a regular file' })
  })

  test('a place where no folder can be created is a problem, not a crash', () => {
    writeFileSync(folder, '')
    expect(aboutOf(open({ fresh: true }))).toMatchObject({ code: 'key.absent', file: folder })
  })
})

describe('rotation', () => {
  test('the previous token key still verifies, the one before that does not', () => {
    const first = valueOf(open({ fresh: true })).tokens.mint(claims, NOW)
    valueOf(rotateTokenKey(folder))
    const second = valueOf(open())
    expect(accepts(second, first)).toBe(true)
    valueOf(rotateTokenKey(folder))
    const third = valueOf(open())
    expect([accepts(third, second.tokens.mint(claims, NOW)), accepts(third, first)]).toEqual([true, false])
    expect(modeOf(join(folder, TOKEN_FILE))).toBe('600')
  })

  test('old checkpoint keys verify permanently and sign nothing more', () => {
    const first = valueOf(open({ fresh: true })).checkpoints.sign('x')
    const ids = [first.key, valueOf(rotateCheckpointKey(folder)), valueOf(rotateCheckpointKey(folder))]
    const { checkpoints } = valueOf(open())
    expect(checkpoints.isGenuine('x', first.key, first.signature)).toBe(true)
    expect(checkpoints.sign('x').key).toBe(ids[2])
    expect(ids.map((id) => checkpoints.publicKey(id)?.length)).toEqual([64, 64, 64])
    expect(readFileSync(join(folder, CHECKPOINT_FILE), 'utf8').match(/"seed"/g)).toHaveLength(1)
  })

  test('without keys there is nothing to rotate', () => {
    expect(aboutOf(rotateTokenKey(folder))).toMatchObject({ code: 'key.absent' })
    expect(aboutOf(rotateCheckpointKey(folder))).toMatchObject({ code: 'key.absent' })
  })
})

describe('a token key by reference', () => {
  const strong = 'q3J8zv0T1xk5Wn7RbYc2Lp9Hs6Dg4Fm-Aa'

  test('it comes from the environment or from a file, and none is created in the folder', () => {
    const file = join(home, 'secret')
    writeFileSync(file, `${strong}\n`, { mode: 0o440 })
    const byEnv = valueOf(open({ fresh: true, token_key: 'env:KEY', env: { KEY: strong } }))
    const byFile = valueOf(open({ token_key: `file:${file}` }))
    expect(accepts(byFile, byEnv.tokens.mint(claims, NOW))).toBe(true)
    expect(readdirSync(folder)).toEqual([CHECKPOINT_FILE])
  })

  test('a previous key may be given too', () => {
    const old = valueOf(open({ fresh: true, token_key: 'env:OLD', env: { OLD: strong } })).tokens.mint(claims, NOW)
    const env = { NEW: strong.split('').toReversed().join(''), OLD: strong }
    expect(accepts(valueOf(open({ token_key: 'env:NEW', previous_token_key: 'env:OLD', env })), old)).toBe(true)
    expect(accepts(valueOf(open({ token_key: 'env:NEW', env })), old)).toBe(false)
  })

  test.each([
    ['unset', 'env:ABSENT'],
    ['empty', 'env:EMPTY'],
    ['short', 'env:SHORT'],
    ['one letter', 'env:SAME'],
    ['a placeholder', 'env:DEFAULT'],
    ['a missing file', 'file:/nowhere/at/all'],
    ['neither env nor file', strong],
  ])('%s is rejected without showing any key', (_, token_key) => {
    const env = {
      EMPTY: '',
      SHORT: strong.slice(0, 31),
      SAME: 'a'.repeat(64),
      DEFAULT: `please-change-me-${strong}`,
    }
    const about = aboutOf(open({ fresh: true, token_key, env }))
    expect(about?.code).toBe('key.absent')
    expect(JSON.stringify(about)).not.toMatch(/q3J8zv0T/)
  })

  test('a world-readable file is rejected with its mode', () => {
    const file = join(home, 'secret')
    writeFileSync(file, strong, { mode: 0o600 })
    chmodSync(file, 0o644)
    expect(aboutOf(open({ fresh: true, token_key: `file:${file}` }))).toMatchObject({ mode: '0644' })
  })
})
