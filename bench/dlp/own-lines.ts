import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sample } from './labels.ts'

/**
 * Lines of source code and configuration, written for this bench: assignments, connection strings and tokens with values made up at
 * run time, and lines that only look like them. One half is for development; the other is only ever counted.
 */
export function ownLines(half: 'development' | 'held_back'): Sample[] {
  const random = seeded(20_261_115)
  return (['positive', 'negative'] as const).flatMap((label) =>
    templates(`${label}s.txt`)
      .map((template) => ({ text: filled(template, random), label, rule: 'own' }))
      .filter((_, at) => (at % 2 === 0) === (half === 'development')),
  )
}

/**
 * Formats of many providers, passwords in code, configuration, logs and prose, and texts that only look like them. Each part was written at once and
 * scored before any rule was changed; classes of misses in the development part were then looked at, the held-back part is only counted.
 */
export function freshLines(half: 'development' | 'held_back'): Sample[] {
  const random = seeded(20_261_116)
  return (['positive', 'negative'] as const).flatMap((label) =>
    linesOf(`${half.replace('_', '-')}-${label}s.txt`, 'fresh').map((template) => ({
      text: filled(template, random),
      label,
      rule: 'fresh',
    })),
  )
}

const linesOf = (file: string, folder = 'own') =>
  readFileSync(join(import.meta.dirname, folder, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll(String.raw`\n`, '\n'))

/** The lines of a file, and every name of `names.txt` with a few values that are typical of a secret of that name, and a few that are not. */
function templates(file: string): string[] {
  const values = linesOf(file.replace('.txt', '-values.txt'))
  const styles = linesOf('styles.txt')
  const named = linesOf('names.txt').flatMap((name, at) =>
    [0, 1, 2, 3].map((turn) => {
      const style = styles[(at * 5 + turn * 3) % styles.length] ?? ''
      const value = values[(at * 3 + turn * 7) % values.length] ?? ''
      const isCode = /[()$[\]]|^\w+\.\w/.test(value) && !value.includes('{')
      const line = isCode ? style.replace(/(["'])%v\1/, '%v') : style
      return line.replace('%n', name).replace('%v', value)
    }),
  )
  return [...linesOf(file), ...named]
}

type Random = (below: number) => number

function seeded(seed: number): Random {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const DIGITS = '0123456789'
const ALNUM = LOWER + UPPER + DIGITS
const WORDS = 'summer winter dragon coffee orange falcon silver monday tiger rocket purple castle'.split(' ')

const some = (letters: string, count: number, random: Random) =>
  Array.from({ length: count }, () => letters[random(letters.length)]).join('')
const capital = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

/** Passwords as people choose them, and generated ones. */
function password(random: Random): string {
  const word = WORDS[random(WORDS.length)] ?? ''
  const kinds = [
    () => `${capital(word)}${some(DIGITS, 4, random)}!`,
    () => `${word}${some(DIGITS, 3, random)}`,
    () => some(LOWER, 9, random),
    () => `${word.replaceAll('o', '0').replaceAll('e', '3')}@${some(DIGITS, 2, random)}`,
    () => some(ALNUM, 12, random),
    () => `${some(ALNUM, 6, random)}#${some(ALNUM, 6, random)}`,
  ]
  return kinds[random(kinds.length)]?.() ?? ''
}

const HEX = '0123456789abcdef'
const FILLS: Readonly<Record<string, (random: Random) => string>> = {
  pw: password,
  url: (random) => password(random).replaceAll(/[@#!]/g, '-'),
  tok: (random) => some(ALNUM, 24 + random(16), random),
  sym: (random) => some(`${ALNUM}!@#$%^&*(-_=+)`, 50, random),
  b64: (random) => some(`${ALNUM}+/`, 43, random),
  b64s40: (random) => some(`${ALNUM}+/`, 40, random),
  b64basic: (random) => Buffer.from(`ci:${some(ALNUM, 20, random)}`).toString('base64'),
  b64s22: (random) => some(`${ALNUM}+/`, 22, random),
  b64x86: (random) => some(`${ALNUM}+/`, 86, random),
  b32up16: (random) => some(`${UPPER}234567`, 16, random),
  bech58: (random) => some('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58, random),
  b32: (random) => some(`${UPPER}234567`, 16, random),
  lic: (random) => Array.from({ length: 5 }, () => some(UPPER + DIGITS, 5, random)).join('-'),
  uuid: (random) => [8, 4, 4, 4, 12].map((count) => some(HEX, count, random)).join('-'),
}

/** `{alnum24}`, `{hex32}`, `{dig11}`, `{up8}` and the names above; other braces stay. */
function filled(template: string, random: Random): string {
  return template.replaceAll(/\{([a-z]\w*)\}/g, (whole, name: string) => {
    const [, kind = '', count = ''] = /^([a-z]+)(\d+)$/.exec(name) ?? []
    const letters = { alnum: ALNUM, hex: HEX, dig: DIGITS, up: UPPER + DIGITS }[kind]
    return letters === undefined ? (FILLS[name]?.(random) ?? whole) : some(letters, Number(count), random)
  })
}
