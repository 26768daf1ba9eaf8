import { describe, expect, test } from 'vitest'
import { forbiddenIn } from './forbidden.ts'
import { readShell } from './read-shell.ts'
import { awkDoings, listedWords, quotedTexts } from './scripts.ts'

const CWD = '/home/me/code/app'
const removes = (target: string) =>
  forbiddenIn(
    'rm',
    ['-rf', target].map((text) => ({ text, sure: text, literal: true, pattern: false })),
    CWD,
  )?.rule

test.each(['/', '//', '/.', '/*', '/./*', '///.//**/.', '/etc/', '/etc/./.*', '~/', '~/*', '../*', '*', './*', '.'])(
  'everything below `%s` may not be removed',
  (target) => expect(removes(target)).toBe('shell.wipes'),
)

test.each(['build', 'build/*', './build/', '/home/me/code/app/build/*', '/tmp/x/*'])('`%s` may', (target) =>
  expect(removes(target)).toBeUndefined(),
)

// A regular expression with two ways to match each slash would double its time with every slash.
test.each(['/', '/.', '/*', '/./', './', '/.*'])(
  'two hundred thousand characters of `%s` are judged like a few of them',
  (unit) => {
    const many = unit.repeat(Math.ceil(200_000 / unit.length))
    expect([removes(`/srv${many}`), removes(`/tmp/x${many}y`)]).toEqual([
      removes(`/srv${unit}`),
      removes(`/tmp/x${unit}y`),
    ])
  },
)

test.each(['"', '\\"', '"\\', '\\\\"', "'", '"\'', '`'])(
  'two hundred thousand characters of %s in code terminate',
  (unit) => {
    const code = `print("a b") # ${unit.repeat(200_000 / unit.length)}`
    expect(quotedTexts(code)[0]).toBe('a b')
    expect(listedWords(code).slice(0, 3)).toBe('a b')
    expect(awkDoings(code)).toEqual([])
  },
)

test('an unclosed quote hides no later string', () => {
  expect(quotedTexts("# it\"s\nos.system('rm -rf /')")).toContain('rm -rf /')
  expect(quotedTexts(`print("a \\" b", 'c')`)).toEqual(expect.arrayContaining(['a " b', 'c']))
  expect(awkDoings('{ print "a | b" }')).toEqual([])
  expect(awkDoings('{ print "a" | "sh" }')).toEqual(['runs'])
})

describe('words that run others', () => {
  const rulesOf = (command: string) => readShell(command, CWD).forbidden.map(({ rule }) => rule)

  test.each(['sudo ', 'env ', 'xargs ', 'nohup ', 'git -c color.ui=a '])(
    'many of `%s` terminate, and what is nested too deep to be read is unknown',
    (unit) => {
      const { unknown, parts } = readShell(unit.repeat(2_000), CWD)
      expect(unknown.length > 0 || parts.some(({ does }) => does.includes('unknown'))).toBe(true)
    },
  )

  test('a forbidden command among many words is found, or the words are unknown', () => {
    expect(rulesOf(`sudo ${'-x '.repeat(300)}rm -rf /`)).toContain('shell.wipes')
    expect(readShell(`frobnicate ${'x '.repeat(500)}rm -rf /`, CWD).unknown).toContain(
      'a command with more words than the gate checks',
    )
  })

  test('of many texts in a pipe the newest are read, and the rest is unknown', () => {
    const many = `echo a${' | echo b'.repeat(150)}`
    expect(rulesOf(`${many} | echo 'rm -rf /' | sh`)).toContain('shell.wipes')
    expect(rulesOf("echo 'rm -rf /' | cat | sh")).toContain('shell.wipes')
    expect(readShell(`echo 'rm -rf /' ${'| tee x'.repeat(150)} | xargs rm`, CWD).unknown).not.toEqual([])
  })
})
