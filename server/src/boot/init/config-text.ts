import { isMap, parseDocument, stringify } from 'yaml'
import { z } from 'zod'
import { Config } from '../../contract/config.ts'
import type { Settings } from './plan-import.ts'

/** In the data folder, so that editors know every key of this very release. */
export const SCHEMA_FILE = 'sluice.schema.json'

export const schemaText = (): string =>
  `${JSON.stringify(z.toJSONSchema(Config, { io: 'input', unrepresentable: 'any' }), null, 2)}\n`

/** A new `sluice.yaml`, with a word about what else can stand in it. */
export function newConfigText(servers: ReadonlyMap<string, Settings>, data: string): string {
  const written =
    servers.size === 0 ? 'servers: {}\n' : stringify({ servers: Object.fromEntries(servers) }, { lineWidth: 120 })
  return `# yaml-language-server: $schema=${data}/${SCHEMA_FILE}
# The configuration of Sluice. Every key is checked; \`sluice doctor\` names mistakes with line and remedy.

# Where it listens. Anything but loopback needs keys first: \`sluice keys create\`.
listen:
  host: 127.0.0.1
  port: 7420

# What it keeps: the ledger, keys, artifacts. Relative to this file; readable by you alone.
data: ${data}

# What may run. careful: reads run, the rest waits for a person. strict: everything waits. observe: nothing is stopped, only recorded.
policy:
  preset: careful
  # rules:
  #   - { id: no-drops, effect: block, match: { tool: "db__drop_*" }, says: nobody drops tables }

# The tool servers behind the gate. Secrets are references: env:NAME or file:PATH.
# What you say of a tool stands above what its server says: tools: { send: { effects: [external] } }
${written}`
}

/** The same file with further servers in it; comments and order stay. Undefined when \`servers\` is something else than a map. */
export function extendedConfigText(text: string, servers: ReadonlyMap<string, Settings>): string | undefined {
  const document = parseDocument(text)
  if (document.get('servers') === null) document.delete('servers')
  if (document.has('servers') && !isMap(document.get('servers'))) return undefined
  if (!document.has('servers')) document.set('servers', document.createNode({}))
  const map = document.get('servers')
  if (isMap(map)) map.flow = false
  for (const [name, settings] of servers) document.setIn(['servers', name], document.createNode(settings))
  return document.toString({ lineWidth: 120 })
}
