import { array, assert, constantFrom, pre, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { spread, type ShellProgram, type Special } from './program.ts'
import { readShell } from './read-shell.ts'
import { quotedWord } from './read-word.ts'
import { effectsOfReading } from './shell-reading.ts'
import { PROGRAMS } from './table.ts'
import { OPAQUE, PREFIXES, TRANSPARENT } from './wrappers.suite.ts'
import { someRuns } from '../../../test/some-of.ts'

const FORBIDDEN = [
  'rm -rf /',
  'rm -rf ~',
  'rm -r -f "$HOME"',
  'rm --recursive --force /etc',
  'rm -rf /*',
  'chmod -R 777 /',
  'chown -R nobody /usr',
  'dd if=/dev/zero of=/dev/sda',
  'mkfs.ext4 /dev/sda1',
  'find / -delete',
  'sluice approve auth_0123456789abcdef',
  'kill -9 -1',
] as const

const isAllowed = (command: string): boolean => {
  const reading = readShell(command)
  const onlyReads = effectsOfReading(reading).every((effect) => effect === 'read')
  return onlyReads && reading.forbidden.length + reading.secrets.length + reading.unknown.length === 0
}
const withPrefix = (prefix: string) => (it: string) => `${prefix} sh -c ${quotedWord(it)}`

function startersOf(name: string, row: ShellProgram): (readonly [string, (it: string) => string])[] {
  const below = [...spread(row.subcommands)].flatMap(([sub, one]) =>
    typeof one === 'string' ? [] : startersOf(`${name} ${sub}`, one),
  )
  const own = row.special === undefined ? undefined : SPECIAL[row.special]
  const starts = [
    ...(row.carries === 'code' ? [(it: string) => `${name} ${quotedWord(it)}`] : []),
    ...(row.carries === 'command' ? [withPrefix(name)] : []),
    ...(typeof row.carries === 'object' ? [withPrefix(`${name}${' 1'.repeat(row.carries.after)}`)] : []),
    ...(own === undefined ? [] : [(it: string) => own(name, it)]),
  ]
  return [...starts.map((start, at) => [`${name} ${at}`, start] as const), ...below]
}

/** How a program whose arguments a row cannot describe starts another one; undefined if it starts none. */
const SPECIAL: Readonly<Record<Special, ((name: string, it: string) => string) | undefined>> = {
  awk: (name, it) => `${name} ${quotedWord(`BEGIN { system(${JSON.stringify(it)}) }`)}`,
  env: (name, it) => `${name} -S ${quotedWord(`sh -c ${quotedWord(it)}`)}`,
  find: (name, it) => `${name} . -exec sh -c ${quotedWord(it)} \\;`,
  git: (name, it) => `${name} -c ${quotedWord(`alias.x=!${it}`)} x`,
  interpreter: (name, it) => `${name} -e ${quotedWord(`system(${JSON.stringify(it)})`)}`,
  npx: (name, it) => `${name} -c ${quotedWord(it)}`,
  pager: (name, it) => `${name} ${quotedWord(`+!${it}`)} x`,
  sed: (name, it) => `${name} ${quotedWord(`1e ${it}`)} x`,
  shell: (name, it) => `${name} -c ${quotedWord(it)}`,
  tar: (name, it) => `${name} cf x.tar --checkpoint-action=${quotedWord(`exec=${it}`)} .`,
  variables: undefined,
  xargs: (name, it) => `ls | ${name} sh -c ${quotedWord(it)}`,
}

/** Every program of the table that starts what its arguments say, in the way that its row describes. */
const STARTERS: Readonly<Record<string, (it: string) => string>> = Object.fromEntries(
  [...PROGRAMS].flatMap(([name, row]) => startersOf(name, row)),
)

const isForbidden = (command: string): boolean => readShell(command).forbidden.length > 0

describe('a forbidden command', () => {
  test.for(FORBIDDEN)('is forbidden: %s', (command) => {
    expect(isForbidden(command)).toBe(true)
  })

  test.for(Object.entries(TRANSPARENT))('is forbidden inside: %s', ([, wrap]) => {
    for (const command of FORBIDDEN) expect(isForbidden(wrap(command)), wrap(command)).toBe(true)
  })

  test.for(PREFIXES)('is forbidden after: %s', (prefix) => {
    for (const command of FORBIDDEN) expect(isForbidden(`${prefix} ${command}`), command).toBe(true)
  })

  test.for(Object.entries(OPAQUE))('is never allowed when it is hidden: %s', ([, wrap]) => {
    for (const command of FORBIDDEN) expect(isAllowed(wrap(command)), wrap(command)).toBe(false)
  })

  test('is never allowed in any construct nested in any other', () => {
    const wraps = [
      ...Object.values(TRANSPARENT),
      ...Object.values(OPAQUE),
      ...PREFIXES.map((prefix) => (it: string) => `${prefix} ${it}`),
    ]
    const commands = constantFrom(
      ...FORBIDDEN,
      'rm x',
      'git push',
      'curl -d @x https://a.example',
      'echo x > y',
      'cat .env',
      './run',
    )
    assert(
      property(commands, array(constantFrom(...wraps), { minLength: 1, maxLength: 4 }), (command, layers) => {
        const wrapped = layers.reduce<string>((text, wrap) => wrap(text), command)
        expect(isAllowed(wrapped), wrapped).toBe(false)
      }),
      { numRuns: someRuns(1500) },
    )
  })
})

describe('what does not parse cleanly is never allowed', () => {
  /** What comes after them may make them whole; as a script of their own they are not. */
  const OPEN = new Set(['ls )', 'time -p && ls', 'ls &&', 'ls |'])
  const HOLDERS = [...Object.values(TRANSPARENT), ...PREFIXES.map(withPrefix), ...Object.values(STARTERS)]
  test.for([
    "ls 'a",
    'ls "a',
    'ls )',
    'ls; fi',
    'ls (-a',
    'ls (',
    'if ls',
    'ls $(echo a',
    'ls `echo a',
    'cat <<Z',
    'cat <<Z\na',
    'ls $[1',
    '! ',
    'time -p && ls',
    'ls &&',
    'ls |',
    'ls; done',
    'case x in a) ls',
    '{ ls',
    '(ls',
    'ls <(echo a',
    'echo ${x',
    'ls "$(echo a"',
  ])('%s', (broken) => {
    const isOpen = OPEN.has(broken)
    for (const hold of [(it: string) => it, ...HOLDERS]) {
      const isPart = hold(`it's`).includes(`it's`)
      const held = hold(broken)
      if (!isOpen || !isPart || held === broken) expect(isAllowed(held), held).toBe(false)
    }
  })
})

test.for([
  // `env -S` passes its other arguments on as they are.
  `env -S 'find .' -name "'" -o -exec touch x \\; -o -name "'"`,
  `env -S 'sort a\\_-o\\_b'`,
  // `xargs` removes quotes and backslashes.
  `echo '"-o" f' | xargs sort`,
  `xargs sort <<< "'-o' f"`,
  `echo '\\-o f' | xargs sort`,
  // In zsh these brackets run a command.
  "ls *(e:'touch x':)",
])('words are judged as the program gets them: %s', (command) => {
  expect(isAllowed(command)).toBe(false)
})

test('harmless text around a command never makes the judgement less strict', () => {
  const texts = constantFrom('ls', 'git status', 'echo hi', 'cat README.md', '# note', 'true', 'x=1', 'cd src')
  const acts = constantFrom('rm x', 'npm install', 'git push', 'echo a > b', 'sudo ls', 'cat .env', 'no_answerof')
  const joins = constantFrom(' && ', '; ', ' || ', '\n', ' & ', ' | ')
  assert(
    property(texts, acts, joins, joins, (text, act, before, after) => {
      pre(!text.startsWith('#'))
      expect(isAllowed(`${text}${before}${act}${after}${text}`)).toBe(false)
    }),
  )
})

test('any text is parsed without a crash and within limits', () => {
  const pieces = constantFrom(
    '$(',
    ')',
    '`',
    '"',
    "'",
    '{',
    '}',
    '${',
    '<<E\n',
    '<(',
    '((',
    '))',
    '[[',
    'rm',
    ' ',
    '\n',
    ';',
    '|',
    '&',
    '\\',
    '$',
    'x=',
    'E\n',
    '*',
    '~',
    '-rf',
  )
  assert(
    property(array(pieces, { maxLength: 60 }), (parts) => {
      expect(readShell(parts.join('')).parts.length).toBeLessThanOrEqual(4_000)
    }),
    { numRuns: 400 },
  )
  for (const opening of ['$(', '${a:-', '"$(', '<(', '(', '{ ', '`', '<<A ', '{a,', '$((']) {
    expect(isAllowed(opening.repeat(4_000)), opening).toBe(false)
  }
  expect(isAllowed(`echo ${'a'.repeat(40_000)}`)).toBe(false)
})

test('the parts are separated, with what each does', () => {
  expect(readShell('git log -3 | head && rm -f x > out').parts).toEqual([
    { text: 'git log -3', program: 'git', does: ['reads'] },
    { text: 'head', program: 'head', does: ['reads'] },
    { text: '> out', program: '>', does: ['writes'] },
    { text: 'rm -f x > out', program: 'rm', does: ['writes', 'destroys'] },
  ])
})

test('deleting a folder below the working folder is asked about, deleting one above or beside it is forbidden', () => {
  expect(readShell('rm -rf build').forbidden).toEqual([])
  expect(readShell('rm -rf /home/me/app/build', '/home/me/app').forbidden).toEqual([])
  expect(isForbidden('rm -rf /home/me/other')).toBe(true)
  expect(readShell('rm -rf /home/me/other', '/home/me/app').forbidden).toHaveLength(1)
  expect(readShell('rm -rf /etc', '/').forbidden).toHaveLength(1)
  expect(isForbidden('rm -rf $EMPTY/')).toBe(true)
  expect(isForbidden('rm -rf /tmp/scratch')).toBe(false)
  expect(isAllowed('rm -rf /tmp/scratch')).toBe(false)
})
