/** A table's header: the keys in it, and where its line begins. */
export type TomlHeader = { readonly path: readonly string[]; readonly start: number }
export type Toml = { readonly value: Table; readonly headers: readonly TomlHeader[] }
type Table = Record<string, unknown>

/** What a TOML file means, and where its tables begin. Throws if it is not TOML. Dates stay text. */
export function readToml(text: string): Toml {
  const reader = new Reader(text)
  const value: Table = {}
  const headers: TomlHeader[] = []
  /** Tables that a header has named or a value has filled, which no other header may name. */
  const closed = new Set<Table>()
  let table = value
  for (reader.skipLines(); !reader.isAtEnd(); reader.skipLines()) {
    const start = reader.lineStart()
    if (!reader.takes('[')) {
      assign(table, reader.key(), reader.assigned(), closed)
      reader.endLine()
      continue
    }
    const isList = reader.takes('[')
    const path = reader.key()
    reader.needs(isList ? ']]' : ']')
    reader.endLine()
    headers.push({ path, start })
    const above = tableAt(value, path.slice(0, -1))
    const name = path.at(-1) ?? ''
    if (isList) {
      const list = (above[name] ??= [])
      if (!Array.isArray(list)) throw new Error(`\`${name}\` is not a list of tables`)
      table = empty()
      list.push(table)
    } else {
      table = tableAt(above, [name])
      if (closed.has(table)) throw new Error(`\`${path.join('.')}\` is there twice`)
      closed.add(table)
    }
  }
  return { value, headers }
}

/** The `[mcp_servers.…]` tables of a TOML file, in any notation. Throws if it is not TOML. */
export function tomlServers(text: string): Record<string, unknown> {
  const servers = readToml(text).value['mcp_servers'] ?? {}
  if (!isTable(servers)) throw new Error('`mcp_servers` is not a table')
  return servers
}

/** A value as TOML writes it on one line. */
export function tomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlValue).join(',')}]`
  if (!isTable(value)) return JSON.stringify(value).replaceAll('\u007F', String.raw`\u007F`)
  return `{ ${Object.entries(value)
    .map(([key, each]) => `${tomlKey(key)} = ${tomlValue(each)}`)
    .join(', ')} }`
}

export const tomlKey = (key: string): string => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))

/** Without a prototype, so that no key is special. */
const empty = (): Table => Object.create(null) as Table
const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The table at a path, which is made if it is missing. Of a list of tables, it is the last one. */
function tableAt(from: Table, path: readonly string[]): Table {
  let table = from
  for (const key of path) {
    const found = (table[key] ??= empty())
    const next: unknown = Array.isArray(found) ? found.at(-1) : found
    if (!isTable(next)) throw new Error(`\`${key}\` is not a table`)
    table = next
  }
  return table
}

function assign(from: Table, path: readonly string[], value: unknown, closed?: Set<Table>): void {
  const table = tableAt(from, path.slice(0, -1))
  const name = path.at(-1) ?? ''
  if (Object.hasOwn(table, name)) throw new Error(`\`${path.join('.')}\` is there twice`)
  table[name] = value
  if (isTable(value)) closed?.add(value)
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001B' }

class Reader {
  readonly #text: string
  #at: number
  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\uFEFF') ? 1 : 0
  }

  isAtEnd = (): boolean => this.#at >= this.#text.length
  lineStart = (): number => this.#text.lastIndexOf('\n', this.#at - 1) + 1

  takes(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false
    this.#at += sign.length
    return true
  }
  needs(sign: string): void {
    if (!this.takes(sign)) throw new Error(`\`${sign}\` is missing at ${this.#at}`)
  }
  /** White space, comments and ends of lines. */
  skipLines(): void {
    this.#match(/(?:[ \t\r\n]|#[^\n]*)*/y)
  }
  endLine(): void {
    this.#match(/[ \t]*(?:#[^\n]*)?/y)
    if (!this.isAtEnd() && this.#match(/\r?\n/y) === '') throw new Error(`the line does not end at ${this.#at}`)
  }

  key(): readonly string[] {
    const path: string[] = []
    do {
      this.#match(/[ \t]*/y)
      const sign = this.#text[this.#at]
      const word = sign === '"' || sign === "'" ? this.#line(sign) : this.#match(/[A-Za-z0-9_-]+/y)
      if (word === '' && sign !== '"' && sign !== "'") throw new Error(`a key is missing at ${this.#at}`)
      path.push(word)
      this.#match(/[ \t]*/y)
    } while (this.takes('.'))
    return path
  }

  assigned(): unknown {
    this.needs('=')
    this.#match(/[ \t]*/y)
    return this.#value()
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #value(): unknown {
    for (const sign of ['"""', "'''"]) if (this.#text.startsWith(sign, this.#at)) return this.#lines(sign)
    const sign = this.#text[this.#at] ?? ''
    if (sign === '"' || sign === "'") return this.#line(sign)
    if (this.takes('[')) return this.#list()
    if (this.takes('{')) return this.#table()
    return scalar(this.#match(/[\w:.+-]+(?: \d\d:[\w:.+-]+)?/y))
  }

  #list(): readonly unknown[] {
    const list: unknown[] = []
    for (this.skipLines(); !this.takes(']'); this.skipLines()) {
      list.push(this.#value())
      this.skipLines()
      if (this.takes(',')) continue
      this.needs(']')
      return list
    }
    return list
  }

  #table(): Table {
    const table = empty()
    for (this.skipLines(); !this.takes('}'); this.skipLines()) {
      assign(table, this.key(), this.assigned())
      this.skipLines()
      if (this.takes(',')) continue
      this.needs('}')
      return table
    }
    return table
  }

  #line(sign: string): string {
    const found = this.#match(sign === '"' ? /"(?:[^"\\\n]|\\.)*"/y : /'[^'\n]*'/y)
    if (found === '') throw new Error(`the text does not end at ${this.#at}`)
    return sign === '"' ? unescaped(found.slice(1, -1)) : found.slice(1, -1)
  }

  #lines(sign: string): string {
    const found = this.#match(sign === '"""' ? /"""(?:\\[\s\S]|[^\\])*?"{3,5}(?!")/y : /'''[\s\S]*?'{3,5}(?!')/y)
    if (found === '') throw new Error(`the text does not end at ${this.#at}`)
    const inner = found.slice(3, -3).replace(/^\r?\n/, '')
    return sign === '"""' ? unescaped(inner.replaceAll(/\\[ \t]*\r?\n\s*/g, '')) : inner
  }
}

function unescaped(text: string): string {
  return text.replaceAll(
    /\\(?:u([\dA-Fa-f]{4})|U([\dA-Fa-f]{8})|x([\dA-Fa-f]{2})|(.))/gs,
    (_, short, long, byte, sign: string) => {
      const code = [short, long, byte].find((each) => each !== undefined) as string | undefined
      if (code !== undefined) return String.fromCodePoint(Number.parseInt(code, 16))
      const meant = sign === '"' || sign === '\\' ? sign : ESCAPES[sign]
      if (meant === undefined) throw new Error(`\`\\${sign}\` means nothing`)
      return meant
    },
  )
}

function scalar(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  if (/^[+-]?(?:inf|nan)$/.test(text) || /^\d{4}-\d\d-\d\d|^\d\d:\d\d/.test(text)) return text
  const plain = text.replaceAll(/(?<=[\da-fA-F])_(?=[\da-fA-F])/g, '')
  if (/^(?:[+-]?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|0x[\da-fA-F]+|0o[0-7]+|0b[01]+)$/.test(plain))
    return Number(plain)
  throw new Error(`\`${text}\` is not a value`)
}
