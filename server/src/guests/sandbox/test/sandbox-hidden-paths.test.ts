import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filesFact } from '../facts/files-fact.ts'
import { judgementOf } from '../../../../test/judging.ts'
import { readConfig } from '../../../../test/read-config.ts'
import { judgeSandbox } from '../judge-sandbox.ts'
import { compilePolicy } from '../../../kernel/policy/compile-policy.ts'
import { callWith, neutralFacts, toolWith } from '../../../kernel/decide/neutral-facts.suite.ts'
import { localFiles } from '../local-files.ts'

/** `in` is allowed. In it `etc` is a link to `/etc`, `deep/er/way` one to `../out`, and `plain` a folder. */
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-hidden-')))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeAll(() => {
  for (const path of ['in/deep/er', 'in/plain', 'out']) mkdirSync(join(folder, path), { recursive: true })
  for (const file of ['in/plain/a.ts', 'in/notes.txt', 'out/secret.txt']) writeFileSync(join(folder, file), 'x')
  symlinkSync('/etc', join(folder, 'in/etc'))
  symlinkSync(join(folder, 'out'), join(folder, 'in/deep/er/way'))
})

const config = readConfig({
  servers: { s: { command: 'x', cwd: './in', sandbox: { roots: ['./in'], local: true } } },
})
if (!config.ok) throw new Error(JSON.stringify(config.problem))
const files = localFiles(config.value.servers, folder)
const judgement = await judgementOf(config.value, { files })
const policy = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })

async function judge(args: Record<string, string>): Promise<string[]> {
  if (!policy.ok) throw new Error('the configuration is invalid')
  const call = callWith(args)
  const tool = toolWith({ path: {} }, ['read'])
  const facts = { ...neutralFacts(tool), files: await filesFact({ files, judgement }, call, tool) }
  return judgeSandbox(policy.value, call, facts).map(({ effect, rule }) => `${effect} ${rule}`)
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const hex = (text: string) => Buffer.from(text).toString('hex')

test.each([
  'e*/passwd',
  'et?/passwd',
  '[e]tc/passwd',
  '*/passwd',
  '**/passwd',
  '{etc,plain}/passwd',
  '{e,x}tc/passwd',
  'e{t,x}{c,y}/*',
  '{plain,{etc,x}}/passwd',
  'ETC*/passwd',
  './e*/passwd',
  'deep/*/way/secret.txt',
  'deep/er/w*',
  'd*/e*/w*/secret.txt',
  '**/way/secret.txt',
  '{notes.txt,/etc/passwd}',
])('the pattern `%s` leads outside, under any key', async (pattern) => {
  for (const key of ['path', 'pattern', 'target', 'query'])
    expect(await judge({ [key]: pattern }), key).toContain('block sandbox.outside')
})

test.each([
  ['base64', base64('/etc/passwd')],
  ['base64 without padding', base64('/etc/passwd').replace(/=+$/, '')],
  ['base64 for addresses', Buffer.from('/etc/shadow~').toString('base64url')],
  ['base64 of a path with `..`', base64('../../../../../../../../etc/passwd')],
  ['base64 of an address', base64('file:///etc/passwd')],
  ['a data address', `data:text/plain;base64,${base64('/etc/passwd')}`],
  ['hexadecimal', hex('/etc/passwd')],
  ['hexadecimal in capitals', hex('/etc/passwd').toUpperCase()],
  ['hexadecimal with a prefix', `0x${hex('/etc/passwd')}`],
  ['hexadecimal as escapes', hex('/etc/passwd').replace(/../g, String.raw`\x$&`)],
  ['percent signs', '%2Fetc%2Fpasswd'],
  ['percent signs twice', '%252Fetc%252Fpasswd'],
  ['percent signs for every letter', hex('/etc/passwd').replace(/../g, '%$&')],
])('a path outside, written in %s, is not allowed silently', async (_, text) => {
  for (const key of ['path', 'file', 'target', 'name'])
    expect(
      (await judge({ [key]: text })).some((found) => found.startsWith('block ')),
      key,
    ).toBe(true)
})

test.each([
  '*',
  '**/*.ts',
  '*.{ts,js}',
  'plain/*.ts',
  'p*/a.ts',
  'notes.*',
  String.raw`^import .* from '[^']+'$`,
  'items[0].name',
  'deadbeefdeadbeefdeadbeefdeadbeef',
  base64('hello, this is a note'),
  'aGVsbG8',
  '2026-11-15',
])('`%s` stays inside and is allowed', async (text) => {
  for (const key of ['path', 'pattern', 'query']) expect(await judge({ [key]: text }), key).toEqual([])
})
