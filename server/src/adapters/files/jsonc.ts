/** JSON with comments and trailing commas, as editors allow in their settings. The same length, so that positions stay valid. */
export const plainJson = (text: string): string => blanked(text, true)

/** The same with its trailing commas. */
export const withoutComments = (text: string): string => blanked(text, false)

function blanked(text: string, trailing: boolean): string {
  const out = text.split('')
  let comma: number | undefined
  for (let at = 0; at < text.length;) {
    const end = endOfToken(text, at)
    const token = text.slice(at, end)
    if (token.startsWith('//') || token.startsWith('/*')) out.fill(' ', at, end)
    else if (token === ',') comma = at
    else if (token.trim() !== '') {
      if (trailing && (token === '}' || token === ']') && comma !== undefined) out[comma] = ' '
      comma = undefined
    }
    at = end
  }
  if (text.startsWith('\uFEFF')) out[0] = ' '
  return out.join('')
}

function endOfToken(text: string, at: number): number {
  const rest = (pattern: RegExp) => {
    const sticky = new RegExp(pattern, 'y')
    sticky.lastIndex = at
    return sticky.exec(text)?.[0].length ?? 1
  }
  switch (text[at]) {
    case '"':
      return at + rest(/"(?:[^"\\]|\\.)*"?/s)
    case '/':
      return at + rest(/\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/)
    default:
      return at + rest(/[^"/,{}[\]:]+/)
  }
}

export type TextSpan = { readonly start: number; readonly end: number }

/** The position of the value at a path of keys in plain JSON. The last of equal keys counts, as for a parser. */
export function spanOf(json: string, path: readonly string[]): TextSpan | undefined {
  let span: TextSpan | undefined = { start: skipSpace(json, 0), end: json.trimEnd().length }
  for (const key of path) span = span === undefined ? undefined : memberOf(json, span, key)
  return span
}

function memberOf(json: string, span: TextSpan, key: string): TextSpan | undefined {
  const found = membersIn(json, span).findLast(({ name }) => name === key)
  return found === undefined ? undefined : { start: found.value, end: found.end }
}

/** A member of an object: from its name to the end of its value. */
export type Member = TextSpan & { readonly name: string; readonly value: number }

/** The members of an object in plain JSON, in order; none for anything else. */
export function membersIn(json: string, { start, end }: TextSpan): readonly Member[] {
  const members: Member[] = []
  if (json[start] !== '{') return members
  let at = skipSpace(json, start + 1)
  while (at < end && json[at] === '"') {
    const named = valueEnd(json, at)
    const value = skipSpace(json, skipSpace(json, named) + 1)
    const after = valueEnd(json, value)
    members.push({ name: JSON.parse(json.slice(at, named)) as string, start: at, value, end: after })
    at = skipSpace(json, after)
    if (json[at] === ',') at = skipSpace(json, at + 1)
  }
  return members
}

const skipSpace = (json: string, at: number): number => {
  let next = at
  while (/\s/.test(json.charAt(next))) next += 1
  return next
}

function valueEnd(json: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const sign = json.charAt(at)
    if (sign === '{' || sign === '[') depth += 1
    if (sign === '}' || sign === ']') depth -= 1
    at = /[\s,{}[\]:]/.test(sign) ? at + 1 : endOfScalar(json, at)
  } while (depth > 0 && at < json.length)
  return at
}

function endOfScalar(json: string, at: number): number {
  if (json[at] === '"') return endOfToken(json, at)
  const scalar = /[^\s,{}[\]:"]+/y
  scalar.lastIndex = at
  return at + (scalar.exec(json)?.[0].length ?? 1)
}
