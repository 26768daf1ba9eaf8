import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, assert, constantFrom, nat, oneof, property, tuple, type Arbitrary } from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readShell } from '../read-shell.ts'
import { effectsOfReading } from '../shell-reading.ts'
import { OPAQUE, PREFIXES, TRANSPARENT } from '../wrappers.suite.ts'

const SHELLS = ['/bin/bash', '/bin/dash', '/bin/zsh'].filter((shell) => existsSync(shell))
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-shells-'))
  writeFileSync(join(folder, 'a'), 'touch new\n')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function isReadOnly(command: string): boolean {
  const reading = readShell(command)
  const { forbidden, secrets, unknown } = reading
  return (
    effectsOfReading(reading).every((effect) => effect === 'read') &&
    forbidden.length + secrets.length + unknown.length === 0
  )
}

/** The files that a command leaves behind, in any of the shells. */
function filesAfter(command: string): readonly string[] {
  for (const shell of SHELLS)
    spawnSync(shell, ['-c', command], {
      cwd: folder,
      env: { PATH: '/usr/bin:/bin', HOME: folder },
      timeout: 5_000,
      killSignal: 'SIGKILL',
      stdio: 'ignore',
    })
  return readdirSync(folder)
}

/** Each makes one file in the working folder, and does nothing else. */
const MAKES = [
  'touch new',
  'echo a >new',
  'sort -o new a',
  'sort -onew a',
  'tee new',
  "sed -n 'w new' a",
  `awk '{print > "new"}' a`,
  'cp a new',
  'find . -fprint new',
  'uniq a new',
  '. ./a',
  'sh a',
  'xargs -I{} sh -c {} < a',
] as const
const READS = [
  'ls',
  'cat a',
  'echo x',
  'grep touch a',
  'sort a',
  'find . -name a',
  'echo "a b" c',
  "printf %s 'x'",
] as const
const JOINS = [
  '; ',
  '\n',
  ' | ',
  ' && ',
  ' "',
  ' (',
  ' # ',
  ' \\',
  ' $',
  ' {',
  ' )',
  " '",
  ' `',
  ' <<x\n',
  ' ',
  '\\\n',
] as const
const SIGNS = '\'"\\\n;|&(){}[]$#` <>!*?=~^%@,:+-x'.split('')

/** What acts outside the folder, or as somebody else. */
const FAR = /docker|kubectl|ssh |tmux|rsync|chroot|unshare|sudo|doas|\bsu |strace|npx/
const WRAPS = [
  ...Object.values(TRANSPARENT),
  ...Object.values(OPAQUE),
  ...PREFIXES.map((prefix) => (it: string) => `${prefix} ${it}`),
].filter((wrap) => !FAR.test(wrap('x')))

type Change = (command: string) => string
const at = (command: string, where: number) => where % (command.length + 1)
const changes: Arbitrary<Change> = oneof(
  constantFrom(...WRAPS),
  tuple(nat(), nat(3)).map(
    ([where, many]): Change =>
      (it) =>
        it.slice(0, at(it, where)) + it.slice(at(it, where) + many + 1),
  ),
  tuple(nat(), constantFrom(...SIGNS)).map(
    ([where, sign]): Change =>
      (it) =>
        it.slice(0, at(it, where)) + sign + it.slice(at(it, where)),
  ),
  tuple(constantFrom(...READS), constantFrom(...JOINS)).map(
    ([read, join_]): Change =>
      (it) =>
        `${read}${join_}${it}`,
  ),
)

test('what is judged to only read leaves no file behind when real shells run it', () => {
  let run = 0
  const commands = tuple(constantFrom(...MAKES), array(changes, { minLength: 1, maxLength: 6 }))
  assert(
    property(commands, ([makes, changed]) => {
      const command = changed.reduce<string>((it, change) => change(it), makes)
      if (command.includes('\0') || !isReadOnly(command)) return
      run += 1
      expect(filesAfter(command), command).toEqual(['a'])
    }),
    { numRuns: 4_000 },
  )
  // Otherwise it proves nothing.
  expect(run).toBeGreaterThan(40)
  expect(MAKES.map((command) => [command, isReadOnly(command)])).toEqual(MAKES.map((command) => [command, false]))
})
