import { MONTHS, NUMBER_WORDS } from './lexicon/dates.ts'

const plain = (text: string): string => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()

const MONTH_OF = new Map(MONTHS.flatMap((names, index) => names.split(' ').map((name) => [name, index + 1] as const)))
const NUMBER_OF = new Map(
  NUMBER_WORDS.flatMap((names, value) => names.split(' ').map((name) => [name, value] as const)),
)

/** No written number is longer. */
const LONGEST_NUMBER = 64

/** `1,000.50`, `1.000,50`, `1'000.5` and `1000.5` are one number. Undefined if it is not a number. */
export function numberIn(text: string): number | undefined {
  if (text.length > LONGEST_NUMBER) return undefined
  const digits = text
    .trim()
    .replace(/^[#$€£¥ ]+/, '')
    .replace(/(?:st|nd|rd|th|[%$€£¥ .]){1,8}$/, '')
  if (!/^[+-]?[\d][\d.,' ]*$/.test(digits)) return undefined
  const point = /[.,]\d{1,2}$|\.\d+$/.exec(digits)
  const whole = (point === null ? digits : digits.slice(0, point.index)).replaceAll(/[.,' ]/g, '')
  const value = Number(point === null ? whole : `${whole}.${point[0].slice(1)}`)
  return Number.isFinite(value) ? value : undefined
}

/** The numbers in a text, as digits or as words. */
export function numbersIn(text: string): Set<number> {
  const found = new Set<number>()
  for (const [match] of text.matchAll(/\d[\d.,']*/g)) {
    const value = numberIn(match)
    if (value !== undefined) found.add(value)
  }
  for (const [match, digits] of text.matchAll(/(\d[\d.,]{0,30})\s?(?:k|thousand|tausend|mil)\b/gi)) {
    const value = numberIn(digits ?? match)
    if (value !== undefined) found.add(value * 1_000)
  }
  for (const [word] of plain(text).matchAll(/[a-z]+/g)) {
    const value = NUMBER_OF.get(word)
    if (value !== undefined) found.add(value)
  }
  return found
}

/** The days in a text, as `month-day`; if the year is given, as `year-month-day` too. */
export function daysIn(text: string): Set<string> {
  const found = new Set<string>()
  const add = (year: string | undefined, month: number, day: number) => {
    if (month < 1 || month > 12 || day < 1 || day > 31) return
    found.add(`${month}-${day}`)
    if (year !== undefined) found.add(`${Number(year)}-${month}-${day}`)
  }
  const folded = plain(text)
  for (const [, year, month, day] of folded.matchAll(/(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/g))
    add(year, Number(month), Number(day))
  for (const [, one, two, year] of folded.matchAll(/\b(\d{1,2})[./-](\d{1,2})(?:[./-](\d{4}))?\b/g)) {
    add(year, Number(one), Number(two))
    add(year, Number(two), Number(one))
  }
  for (const [, day, name, year] of folded.matchAll(
    /\b(\d{1,2})(?:st|nd|rd|th|\.)?(?: of| de)? ([a-z]{3,10})\.?,?(?: de)?(?: (\d{4}))?/g,
  ))
    add(year, MONTH_OF.get(name ?? '') ?? 0, Number(day))
  for (const [, name, day, year] of folded.matchAll(/\b([a-z]{3,10})\.? (\d{1,2})(?:st|nd|rd|th)?,?(?: (\d{4}))?/g))
    add(year, MONTH_OF.get(name ?? '') ?? 0, Number(day))
  return found
}

/** The day that a value names, if it is only a date. */
export function dayOf(value: string): { readonly day: string; readonly year: string } | undefined {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ].*)?$/.exec(value.trim())
  if (match?.[1] === undefined) return undefined
  return { day: `${Number(match[2])}-${Number(match[3])}`, year: match[1] }
}
