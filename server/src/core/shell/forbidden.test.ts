import { expect, test } from 'vitest'
import { forbiddenIn } from './forbidden.ts'
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

// An expression with two ways to read each slash took twice as long for every one more: forty of them never ended.
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
  'two hundred thousand characters of %s in code end',
  (unit) => {
    const code = `print("a b") # ${unit.repeat(200_000 / unit.length)}`
    expect(quotedTexts(code)[0]).toBe('a b')
    expect(listedWords(code).slice(0, 3)).toBe('a b')
    expect(awkDoings(code)).toEqual([])
  },
)

test('a quote that nothing closes hides no later string', () => {
  expect(quotedTexts("# it\"s\nos.system('rm -rf /')")).toContain('rm -rf /')
  expect(quotedTexts(`print("a \\" b", 'c')`)).toEqual(expect.arrayContaining(['a " b', 'c']))
  expect(awkDoings('{ print "a | b" }')).toEqual([])
  expect(awkDoings('{ print "a" | "sh" }')).toEqual(['runs'])
})
