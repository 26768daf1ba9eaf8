/** `[mcp_servers.name]` and `[mcp_servers.name.env]`, with the name in quotes or not. */
const HEADER = /^\s*\[\s*mcp_servers\s*\.\s*(?:"([^"]*)"|([\w-]+))\s*(?:\.[^\]]*)?\]/
const ANY_HEADER = /^\s*\[/

/**
 * A TOML file with the tables of some `mcp_servers` removed and one for the gate added at its end. The rest is kept line by line;
 * comments right above a removed table are removed with it.
 */
export function editTables(
  text: string,
  remove: readonly string[],
  entry: Readonly<Record<string, unknown>>,
): string | undefined {
  const gone = new Set([...remove, 'sluice'])
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const kept: string[] = []
  let isGone = false
  for (const line of text.split(/\r?\n/)) {
    const header = HEADER.exec(line)
    const wasGone = isGone
    if (ANY_HEADER.test(line)) isGone = header !== null && gone.has(header[1] ?? header[2] ?? '')
    // Comments directly above a table are about that table.
    if (isGone && !wasGone) while (/^\s*#/.test(kept.at(-1) ?? '')) kept.pop()
    if (!isGone) kept.push(line)
  }
  const body = kept.join(eol).trimEnd()
  const table = [
    '[mcp_servers.sluice]',
    ...Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  ]
  return `${body === '' ? '' : `${body}${eol}${eol}`}${table.join(eol)}${eol}`
}
