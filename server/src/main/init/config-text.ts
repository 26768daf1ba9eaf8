import { isMap, isNode, isScalar, parseDocument, stringify, type YAMLMap } from 'yaml'
import type { ImportSettings } from './plan-import.ts'

/** In the data folder, so that editors know every key of exactly this release. */
export const SCHEMA_FILE = 'sluice.schema.json'

/** A new `sluice.yaml`, with a comment about what else can be in it. */
export function newConfigText(servers: ReadonlyMap<string, ImportSettings>, data: string, port: number): string {
  const written =
    servers.size === 0 ? 'servers: {}\n' : stringify({ servers: Object.fromEntries(servers) }, { lineWidth: 120 })
  return `# yaml-language-server: $schema=${data}/${SCHEMA_FILE}
# The configuration of Sluice. Every key is checked; \`sluice doctor\` reports mistakes with their line and a fix.

# Where it listens. Anything but loopback needs keys first: \`sluice keys create\`.
listen:
  host: 127.0.0.1
  port: ${port}

# The data folder: ledger, keys, artifacts. Relative to this file; only you can read it.
data: ${data}

# What may run. careful: reads run, everything else needs approval. strict: everything but reads inside a sandbox needs approval. observe: nothing is stopped, only recorded.
policy:
  preset: careful
  # rules:
  #   - { id: no-drops, effect: block, match: { tool: "db__drop_*" }, says: tables must not be dropped }

# The tool servers behind the gate. Secrets are references: env:NAME or file:PATH.
# Your own settings for a tool override what its server says: tools: { send: { effects: [external] } }
${written}`
}

/** The same file with further servers added; every existing line is unchanged. Undefined if `servers` is not a map. */
export function extendedConfigText(text: string, servers: ReadonlyMap<string, ImportSettings>): string | undefined {
  if (servers.size === 0) return text
  const document = parseDocument(text)
  const map: unknown = document.get('servers', true)
  if (isMap(map) && map.flow !== true && map.items.length > 0) return insertedBelow(text, map, servers)
  const isEmpty = (isMap(map) && map.items.length === 0) || (isScalar(map) && map.value === null)
  if (map !== undefined && !isMap(map) && !isEmpty) return undefined
  if (map === undefined)
    return `${text.trimEnd()}${text.trim() === '' ? '' : '\n\n'}${blockOf({ servers: Object.fromEntries(servers) })}`
  // `servers: {}`, or servers in one line: only this key is rewritten.
  document.set(
    'servers',
    document.createNode({ ...(isMap(map) ? (map.toJSON() as object) : {}), ...Object.fromEntries(servers) }),
  )
  return document.toString({ lineWidth: 0 })
}

const blockOf = (value: object): string => stringify(value, { lineWidth: 0 })

function insertedBelow(text: string, map: YAMLMap, servers: ReadonlyMap<string, ImportSettings>): string {
  const first: unknown = map.items[0]?.key
  const start = isNode(first) ? (first.range?.[0] ?? 0) : 0
  const indent = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1))
  const last = map.items.at(-1)
  const value: unknown = last?.value ?? last?.key
  const end = isNode(value) ? (value.range?.[1] ?? text.length) : text.length
  const line = text[end - 1] === '\n' ? end : lineEnd(text, end)
  const block = blockOf(Object.fromEntries(servers)).replaceAll(/^(?=.)/gm, indent)
  const before = text.slice(0, line)
  return `${before}${before.endsWith('\n') ? '' : '\n'}${block}${text.slice(line)}`
}

/** After the end of the line, including a comment. */
function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at + 1
}
