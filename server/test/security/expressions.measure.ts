import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../src')

/** A regular expression literal in a value position, on one line of source. */
const LITERAL = /(?<=[=(,:?&|![\s]|^)\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/gm
const COMMENT = /^\s*(?:\/\/|\*|\/\*\*).*$/gm

/** What a hostile text repeats, and what comes before and after it. */
const UNITS = Array.from('aA1 -./@:"\'{[(<é_=\t\\,+#$\u03010*~%&;!?|^\u200b').concat(
  'a. a@ a/ %20 a= a, a1 Aa :// a: a_ {, a- /* /. ./ ../ // .* -a -- "" "a a;a &a &# ${ $( `a [] [a () {} <a <!-- \\n \\" \\u 0x %2 =3 a|'.split(
    ' ',
  ),
  ['a ', ' a', '\n', '\n ', 'a\n', ' \n', '* ', '- ', '\r\n', '\n\n', '. ', ', ', 'a.\n', '> '],
)
const BEFORE = ['', 'a', 'http://', '{', '"', ' ', '<', '$', "'", '/', '-']
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

/** Processor time of searching these texts, so that a busy machine does not count. */
function cost(expression: RegExp, texts: readonly string[]): number {
  const before = process.threadCpuUsage()
  for (const text of texts) {
    expression.lastIndex = 0
    expression.exec(text)
  }
  const { user, system } = process.threadCpuUsage(before)
  return user + system
}

/** The fastest of this many counts: garbage collection or another process may delay some of them, but never makes one faster. */
const MEASUREMENTS = 5
const NOTICEABLE_US = 1_500
/** Exponential expressions are detected with short texts, on which they still end. A search of so few characters takes microseconds. */
const FEW = [24, 96, 400]
const SHORT = 4_000
/** A linear search of sixteen times the text takes sixteen times as long, a quadratic one 256 times. */
const LONG = 16
const MOST_GROWTH = 60

/** Whole strings: `repeat` and `+` only note what to join, and the first search would pay for it. */
const flat = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le')

/** The hostile texts of one unit. The short ones are made once for all expressions. */
const GROUPS = UNITS.map((unit) => {
  const texts = BEFORE.flatMap((before) => BEHIND.map((behind) => ({ before, behind })))
  const sized = (size: number, { before, behind }: (typeof texts)[number]) =>
    flat(before + unit.repeat(Math.ceil(size / unit.length)) + behind)
  return {
    few: FEW.map((size) => texts.map((text) => sized(size, text))),
    short: texts.map((text) => ({ text: sized(SHORT, text), long: () => sized(SHORT * LONG, text) })),
    all: texts.map((text) => sized(SHORT, text)),
  }
})

/** Texts are timed together: if all of them take less than one noticeable search, none of them does. */
function isSlow(expression: RegExp, { few, short, all }: (typeof GROUPS)[number]): boolean {
  /** Measures no further once one measurement is within the bound. */
  const alwaysAbove = (texts: readonly string[], bound: number) =>
    Array.from({ length: MEASUREMENTS }).every(() => cost(expression, texts) > bound)
  const isNoticeable = (texts: readonly string[]) => alwaysAbove(texts, NOTICEABLE_US)
  if (few.some((texts) => isNoticeable(texts) && texts.some((text) => isNoticeable([text])))) return true
  if (!isNoticeable(all)) return false
  return short.some(({ text, long }) => {
    if (!isNoticeable([text])) return false
    // The average, because some systems count processor time in steps of four milliseconds.
    const once =
      cost(
        expression,
        Array.from({ length: MEASUREMENTS }, () => text),
      ) / MEASUREMENTS
    return alwaysAbove([long()], Math.max(once, NOTICEABLE_US) * MOST_GROWTH)
  })
}

/**
 * Whatever somebody sends may be a megabyte long. An expression that searches the rest of the text from every place in
 * it then takes hours: `/[^@]+@/` on a million letters. An exponential one does not end even on 40 characters.
 */
test('no regular expression takes more than linear time on a long text', () => {
  const slow = [...literals()].filter(([, { expression }]) => GROUPS.some((group) => isSlow(expression, group)))
  expect(slow.map(([text, { file }]) => `${file}: ${text}`)).toEqual([])
}, 600_000)
