const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** `90s`, `30m`, `2h`, `7d` in seconds; undefined when it is none of these. */
export function secondsOf(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? []
  return amount === undefined || unit === undefined ? undefined : Number(amount) * (SECONDS[unit] ?? 0)
}

/** `10 calls for 2h`, or the same as the JSON that the gate takes, word for word. */
export function boundsOf(text: string): object | undefined {
  if (text.trimStart().startsWith('{')) return objectOf(text)
  const [, calls, span] = /^(\d{1,9}) calls? for (\S+)$/.exec(text.trim()) ?? []
  const expires_in_s = secondsOf(span ?? '')
  return calls === undefined || expires_in_s === undefined ? undefined : { calls: Number(calls), expires_in_s }
}

/** `/to equals "bob"`, `/subject any`: a JSON pointer, a comparison and a value; a value that is not JSON is that text. */
export function constraintOf(text: string): object | undefined {
  const [, path, op, value] = /^(\/\S*) ([a-z]+)(?: (.*))?$/s.exec(text) ?? []
  if (path === undefined || op === undefined) return undefined
  return value === undefined ? { path, op } : { path, op, value: valueOf(value) }
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function objectOf(text: string): object | undefined {
  const value = valueOf(text)
  return typeof value === 'object' && value !== null ? value : undefined
}
