import { BAR, brokenText, count, framedText, NOTE, type TextFrame } from '../../kernel/contract/framed-text.ts'
import { countedSpaces, shortened, visibleText } from '../../kernel/contract/visible-text.ts'
import { valueText } from '../../kernel/contract/value-text.ts'
import { fieldsOf } from './print.ts'

/** Prefix of every line of an argument after the first, so that no line of a value looks like another argument. */
const INNER = `${BAR}┆ `
const PLAIN_NAME = /^[A-Za-z_][\w.-]{0,63}$/
const LONGEST_NAME = 80

/** Arguments one below the other, like a form. `each` limits the lines of one argument, `most` the lines of all. */
export function argumentLines(args: string, { each, ...frame }: TextFrame & { readonly each: number }): string[] {
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

function linesOf(name: string, value: unknown, frame: TextFrame): string[] {
  const label = PLAIN_NAME.test(name) ? name : visibleText(JSON.stringify(name))
  const text = valueText(value)
  const inner = { ...frame, bar: INNER, note: `${BAR}${NOTE}` }
  const whole = `${label}: ${countedSpaces(text)}`
  const isShort = !/[\r\n]/.test(text) && brokenText(whole, frame.width - BAR.length).length === 1
  return isShort
    ? [`${BAR}${brokenText(whole, frame.width - BAR.length)[0] ?? ''}`]
    : [...labelLines(label, frame), ...framedText(text, inner)]
}

/** A long name is shown whole where the value is. */
function labelLines(label: string, { width, most }: TextFrame): string[] {
  const name = most === Number.MAX_SAFE_INTEGER ? label : shortened(label, LONGEST_NAME)
  const [first = '', ...rest] = brokenText(countedSpaces(`${name}:`), width - INNER.length)
  return [`${BAR}${first}`, ...rest.map((piece) => `${INNER}${piece}`)]
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...fieldsOf(value) } : undefined
  } catch {
    return undefined
  }
}
