type Table = Record<string, unknown>

/**
 * The `[mcp_servers.…]` tables of a TOML file, as far as they are simple: strings, numbers, booleans, arrays and inline tables of
 * them, on one line each or an array over several. Any other line is left out: what is not understood is not imported.
 */
export function tomlServers(text: string): Record<string, Table> {
  const servers: Record<string, Table> = {}
  let table: Table | undefined
  let open = ''
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*mcp_servers\s*\.\s*(.+?)\s*\]\s*(?:#.*)?$/.exec(line)
    if (open === '' && header !== null) table = tableFor(servers, header[1] ?? '')
    else if (open === '' && /^\s*\[/.test(line)) table = undefined
    else if (table !== undefined) {
      open = `${open}${line}\n`
      const pair = /^\s*("[^"]*"|[\w-]+)\s*=\s*([\s\S]+?)\s*$/.exec(open)
      const value = pair === null ? undefined : valueOf(pair[2] ?? '')
      if (pair !== null && value !== undefined) table[unquoted(pair[1] ?? '')] = value
      // An array may continue on the next line.
      if (pair === null || value !== undefined || !/=\s*\[/.test(open) || open.length > 10_000) open = ''
    }
  }
  return servers
}

function tableFor(servers: Record<string, Table>, path: string): Table | undefined {
  const [name, below, ...rest] = [...path.matchAll(/"([^"]*)"|[\w-]+/g)].map((match) => match[1] ?? match[0])
  if (name === undefined || rest.length > 0) return undefined
  const server = (servers[name] ??= {})
  if (below === undefined) return server
  const inner: Table = {}
  server[below] = inner
  return inner
}

const unquoted = (text: string) => text.replaceAll(/^"|"$/g, '')

/** TOML's simple values become JSON by a few replacements outside of strings. */
function valueOf(text: string): unknown {
  const json = text
    .split(/("(?:[^"\\]|\\.){0,2000}"|'[^']{0,2000}')/)
    .map((part, at) => {
      if (at % 2 === 1) return part.startsWith("'") ? JSON.stringify(part.slice(1, -1)) : part
      return part
        .replaceAll(/#.*$/gm, '')
        .replaceAll(/([{,]\s*)([\w-]+)\s*=/g, '$1"$2":')
        .replaceAll('=', ':')
        .replaceAll(/,(\s*[\]}])/g, '$1')
    })
    .join('')
  try {
    return JSON.parse(json) as unknown
  } catch {
    return undefined
  }
}
