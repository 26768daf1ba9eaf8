/** SMT-LIB text: values written for a solver, and its answers parsed. */

/** Characters that a solver might interpret are written as their code. */
export function smtString(text: string): string {
  const escaped = Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (character === '"') return '""'
    return code < 32 || code > 126 || character === '\\' ? `\\u{${code.toString(16)}}` : character
  })
  return `"${escaped.join('')}"`
}

/** Characters above this are not in the solver's alphabet. */
const LAST_CHARACTER = 0x2ffff
export const isSpellable = (text: string): boolean =>
  Array.from(text).every((character) => (character.codePointAt(0) ?? 0) <= LAST_CHARACTER)

/** A double exactly, as a fraction: its bits are an integer and a power of two. */
export function smtNumber(value: number): string {
  if (value < 0) return `(- ${smtNumber(-value)})`
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const exponent = Number(bits >> 52n)
  const fraction = bits & ((1n << 52n) - 1n)
  const whole = exponent === 0 ? fraction : fraction | (1n << 52n)
  const power = Math.max(exponent, 1) - 1075
  return power >= 0 ? `${whole << BigInt(power)}.0` : `(/ ${whole}.0 ${1n << BigInt(-power)}.0)`
}

export type Expression = string | readonly Expression[]

/** The expressions of an answer; strings keep their quotes. */
export function parseExpressions(text: string): readonly Expression[] {
  const stack: Expression[][] = [[]]
  for (const [token] of text.matchAll(/"(?:[^"]|"")*"|[()]|[^\s()"]+/g)) {
    if (token === '(') stack.push([])
    else if (token === ')' && stack.length > 1) stack.at(-2)?.push(stack.pop() ?? [])
    else stack.at(-1)?.push(token)
  }
  return stack[0] ?? []
}

export function readString(expression: Expression): string | undefined {
  if (typeof expression !== 'string' || !expression.startsWith('"')) return undefined
  return expression
    .slice(1, -1)
    .replaceAll('""', '"')
    .replaceAll(/\\u\{([0-9a-fA-F]+)\}/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
}

export function readNumber(expression: Expression): number | undefined {
  if (typeof expression === 'string') return Number.isNaN(Number(expression)) ? undefined : Number(expression)
  const [operator, ...parts] = expression
  const [first, second] = parts.map(readNumber)
  if (first === undefined) return undefined
  if (operator === '-' && parts.length === 1) return -first
  return operator === '/' && second !== undefined ? first / second : undefined
}
