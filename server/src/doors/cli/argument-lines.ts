import { BAR, brokenText, count, framedText, NOTE, type Frame } from '../../contract/framed-text.ts'
import { countedSpaces, shortened, visibleText } from '../../contract/visible-text.ts'
import { fieldsOf } from './print.ts'

/** Prefix of every line of an argument after the first, so that no line of a value looks like another argument. */
const INNER = `${BAR}┆ `
const PLAIN_NAME = /^[A-Za-z_][\w.-]{0,63}$/
const LONGEST_NAME = 80

/** Arguments one below the other, like a form. `each` limits the lines of one argument, `most` the lines of all. */
export function argumentLines(args: string, { each, ...frame }: Frame & { readonly each: number }): string[] {
  const fields = objectIn(args)
  if (fields === undefined) return framedText(args, frame)
  const lines: string[] = []
  const entries = Object.entries(fields)
  for (const [at, [name, value]] of entries.entries()) {
    const next = linesOf(name, value, { ...frame, most: each })
    if (lines.length + next.length > frame.most)
      return [...lines, `${NOTE}… ${count(entries.length - at, 'more argument')}${frame.more ?? ''}`]
    lines.push(...next)
  }
  return lines
}

function linesOf(name: string, value: unknown, frame: Frame): string[] {
  const label = PLAIN_NAME.test(name) ? name : shortened(visibleText(JSON.stringify(name)), LONGEST_NAME)
  const text = valueOf(value)
  const inner = { ...frame, bar: INNER, note: `${BAR}${NOTE}` }
  const whole = `${label}: ${countedSpaces(text)}`
  const isShort = !/[\r\n]/.test(text) && brokenText(whole, frame.width - BAR.length).length === 1
  return isShort
    ? [`${BAR}${brokenText(whole, frame.width - BAR.length)[0] ?? ''}`]
    : [`${BAR}${label}:`, ...framedText(text, inner)]
}

/** A string without quotes, unless it looks like another type of value. */
function valueOf(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value)
  return isJson(value.trim()) || value.trim() === '' ? JSON.stringify(value) : value
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...fieldsOf(value) } : undefined
  } catch {
    return undefined
  }
}
