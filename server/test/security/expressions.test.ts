import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../src')

/** A regular expression where a value can stand, on one line of source. */
const LITERAL = /(?<=[=(,:?&|![\s]|^)\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/gm
const COMMENT = /^\s*(?:\/\/|\*|\/\*\*).*$/gm

/** In `npm run test:security` every text; the most telling ones every time. */
const isWhole = process.env['SLUICE_SECURITY'] === 'whole'

/** What a hostile text repeats, what stands before it and what behind it. */
const COMMON_UNITS = ['a', '1', ' ', '.', '\n', ',', '"']
const UNITS = isWhole
  ? Array.from('aA1 -./@:"\'{[(<é_=\t\\,+#$\u03010').concat('a. a@ a/ %20 a= a, a1 Aa :// a: a_ {, a-'.split(' '), [
      'a ',
      ' a',
      '\n',
      '\n ',
      'a\n',
      ' \n',
      '* ',
      '- ',
    ])
  : COMMON_UNITS
const BEFORE = isWhole ? ['', 'a', 'http://', '{', '"', ' ', '<', '$', "'"] : ['', 'a']
const BEHIND = ['', '\u0001']

/** The literals of all files, once each, as they are used: a sticky one is tried at the start only. */
function literals(): Map<string, { readonly file: string; readonly expression: RegExp }> {
  const found = new Map<string, { file: string; expression: RegExp }>()
  for (const file of globSync('**/*.ts', { cwd: SRC })) {
    if (/\.(?:test|suite)\.ts$/.test(file)) continue
    for (const [text, source = '', flags = ''] of readFileSync(join(SRC, file), 'utf8')
      .replaceAll(COMMENT, '')
      .matchAll(LITERAL)) {
      if (found.has(text)) continue
      try {
        found.set(text, { file, expression: new RegExp(source, flags.replace('g', '')) })
      } catch {
        // A path or a division that only looks like one.
      }
    }
  }
  return found
}

/** Processor time of one search, so that a busy machine does not count. */
function cost(expression: RegExp, text: string): number {
  const before = process.threadCpuUsage()
  expression.lastIndex = 0
  expression.exec(text)
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

const SHORT = 4_000
const NOTICEABLE_US = 1_500
/** A linear search of sixteen times the text takes sixteen times as long, a quadratic one 256 times. */
const LONG = 16
const MOST_GROWTH = 60

/**
 * Whatever somebody sends may be a megabyte long. An expression that looks at the rest of the text from every place in it takes hours then:
 * `/[^@]+@/` on a million letters. Seen red with 25 such expressions.
 */
test('no regular expression takes more than linear time on a long text', () => {
  const slow: string[] = []
  for (const [text, { file, expression }] of literals()) {
    const isSlow = UNITS.some((unit) =>
      BEFORE.some((before) =>
        BEHIND.some((behind) => {
          const repeated = (size: number) => before + unit.repeat(Math.ceil(size / unit.length)) + behind
          const short = cost(expression, repeated(SHORT))
          if (short < NOTICEABLE_US) return false
          const again = Math.min(short, cost(expression, repeated(SHORT)))
          return again >= NOTICEABLE_US && cost(expression, repeated(SHORT * LONG)) > again * MOST_GROWTH
        }),
      ),
    )
    if (isSlow) slow.push(`${file}: ${text}`)
  }
  expect(slow).toEqual([])
}, 120_000)
