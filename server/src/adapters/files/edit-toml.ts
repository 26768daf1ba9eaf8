import { isDeepStrictEqual } from 'node:util'
import { readToml, tomlKey, tomlValue, type TomlHeader } from './toml.ts'

const ABOVE = 'mcp_servers'

/**
 * A TOML file with the tables of some `mcp_servers` removed and one for the gate added at its end. The rest is kept, byte for byte;
 * comments right above a removed table are removed with it. Undefined if the result would mean something else, because a removed
 * one is not written as tables.
 */
export function editTables(
  text: string,
  remove: readonly string[],
  entry: Readonly<Record<string, unknown>>,
): string | undefined {
  const gone = new Set([...remove, 'sluice'])
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const { headers } = readToml(text)
  const isGone = ({ path: [above, name = ''] }: TomlHeader) => above === ABOVE && gone.has(name)
  // Comments directly above a table are about that table.
  const starts = headers.map(({ start }) => commentsAbove(text, start))
  let body = headers.length === 0 ? text : text.slice(0, starts[0])
  for (const [at, header] of headers.entries())
    if (!isGone(header)) body += text.slice(starts[at], starts[at + 1] ?? text.length)
  body = body.trimEnd()
  const table = [
    `[${ABOVE}.sluice]`,
    ...Object.entries(entry).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`),
  ]
  const next = `${body === '' ? '' : `${body}${eol}${eol}`}${table.join(eol)}${eol}`
  return means(next, expected(text, gone, entry)) ? next : undefined
}

function commentsAbove(text: string, start: number): number {
  const line = text.slice(0, start).search(/(?:^|(?<=\n))[ \t]*#[^\n]*\n$/)
  return line === -1 ? start : commentsAbove(text, line)
}

function means(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(plain(readToml(text).value), plain(value))
  } catch {
    return false
  }
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** What the file has to mean afterwards. */
function expected(text: string, gone: ReadonlySet<string>, entry: Readonly<Record<string, unknown>>): unknown {
  const { value } = readToml(text)
  const servers = Object.entries(value[ABOVE] ?? {}).filter(([name]) => !gone.has(name))
  return { ...value, [ABOVE]: { ...Object.fromEntries(servers), sluice: entry } }
}
