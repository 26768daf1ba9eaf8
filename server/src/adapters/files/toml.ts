import { isDeepStrictEqual } from 'node:util'
import { parse } from 'smol-toml'

type Table = Record<string, unknown>

/** What a TOML file means. Throws if it is not TOML. Dates are text, and numbers as in JSON. */
export function readToml(text: string): Table {
  const table = parse(text.replace(/^\uFEFF/, ''), { integersAsBigInt: 'asNeeded' })
  return JSON.parse(
    JSON.stringify(table, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
  ) as Table
}

/** The `[mcp_servers.…]` tables of a TOML file, in any notation. Throws if it is not TOML. */
export function tomlServers(text: string): Table {
  const servers = readToml(text)[ABOVE] ?? {}
  if (!isTable(servers)) throw new Error('`mcp_servers` is not a table')
  return servers
}
const ABOVE = 'mcp_servers'

const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A value as TOML writes it on one line. */
export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(',')}]`
  if (!isTable(value)) return JSON.stringify(value).replaceAll('\u007F', String.raw`\u007F`)
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${tomlKey(key)} = ${tomlValue(each)}`)
    .join(', ')} }`
}

export const tomlKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

/**
 * A TOML file with the tables of some `mcp_servers` removed and one for the gate added at its end. The rest is kept, byte for byte;
 * comments right above a removed table are removed with it. Undefined if the result would mean something else, because a removed
 * one is not written as tables. Throws if the text is not TOML.
 */
export function editTables(
  text: string,
  remove: readonly string[],
  entry: Readonly<Record<string, unknown>>,
): string | undefined {
  const before = readToml(text)
  const gone = new Set([...remove, 'sluice'])
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const headers = headersIn(text)
  const isGone = ({ path: [above, name = ''] }: Header) => above === ABOVE && gone.has(name)
  // Comments directly above a table are about that table.
  const starts = headers.map(({ start }) => commentsAbove(text, start))
  const kept = headers.map((header, at) => (isGone(header) ? '' : text.slice(starts[at], starts[at + 1])))
  const body = [text.slice(0, starts[0]), ...kept].join('').trimEnd()
  const table = [
    `[${ABOVE}.sluice]`,
    ...Object.entries(entry).map(([key, value]) => `${tomlKey(key)} = ${tomlValue(value)}`),
  ]
  const next = `${body === '' ? '' : `${body}${eol}${eol}`}${table.join(eol)}${eol}`
  return means(next, expected(before, gone, entry)) ? next : undefined
}

/** A table's header: the keys in it, and where its line begins. */
type Header = { readonly path: readonly string[]; readonly start: number }

/** In TOML, a bracket outside of texts and comments opens a list, a table on one line, or a header if it is first in its line. */
const TOKEN = /"""(?:\\[^]|[^\\])*?"{3,5}(?!")|'''[^]*?'{3,5}(?!')|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[{]|[\]}]/g

function headersIn(text: string): readonly Header[] {
  const headers: Header[] = []
  let depth = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    const start = text.lastIndexOf('\n', index - 1) + 1
    if (depth === 0 && token === '[' && text.slice(start, index).trim() === '')
      headers.push({ path: pathOf(readToml(/[^\r\n]*/.exec(text.slice(index))?.[0] ?? '')), start })
    depth += '[{'.includes(token) ? 1 : ']}'.includes(token) ? -1 : 0
  }
  return headers
}

function pathOf(value: unknown): readonly string[] {
  const [only] = Object.entries(isTable(value) ? value : {})
  return only === undefined ? [] : [only[0], ...pathOf(only[1])]
}

function commentsAbove(text: string, start: number): number {
  let first = start
  for (let line = start; line > 0; first = line) {
    line = text.lastIndexOf('\n', first - 2) + 1
    if (!/^[ \t]*#/.test(text.slice(line, first))) break
  }
  return first
}

function means(text: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(readToml(text), value)
  } catch {
    return false
  }
}

/** What the file has to mean afterwards. */
function expected(before: Table, gone: ReadonlySet<string>, entry: Table): unknown {
  const servers = Object.entries(before[ABOVE] ?? {}).filter(([name]) => !gone.has(name))
  const sluice: unknown = JSON.parse(JSON.stringify(entry))
  return { ...before, [ABOVE]: { ...Object.fromEntries(servers), sluice } }
}
