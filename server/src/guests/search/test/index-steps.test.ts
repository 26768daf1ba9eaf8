import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { serversOf, withLedger } from '../../../../test/tool-servers/with-ledger.ts'
import { admitTool } from '../../../kernel/catalogue/admit-tool.ts'
import { openCatalogue } from '../../../kernel/catalogue/catalogue.ts'
import { registerTools } from '../../../kernel/catalogue/register-tools.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import { readConfig } from '../../../../test/read-config.ts'
import type { ToolDefinition } from '../../../kernel/contract/tool.ts'
import { rankerFor } from '../open-ranker.ts'

const ADMIN: Caller = { kind: 'admin', id: 'admin:a', user: 'ana' }
const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({ name, inputSchema: {}, ...more })
const read = readConfig({})
if (!read.ok) throw new Error(JSON.stringify(read.problem))
const CONFIG = read.value

test('the catalogue is indexed in steps, and a changed tool is one step', () => {
  const servers = serversOf({ mail: { command: 'x' } })
  return withLedger(servers, async ({ deps, store }) => {
    const many = Array.from({ length: 45 }, (_, at) => tool(`tool_${at}`, { description: 'Polishes brass' }))
    await registerTools(deps, 'mail', many)
    let steps = 0
    const yieldWhenDue = async () => {
      steps += 1
      await setImmediate()
    }
    const opened = rankerFor(CONFIG, '.')
    if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
    const catalogue = await openCatalogue({
      tables: store,
      servers,
      yieldWhenDue,
      ranker: (of) =>
        opened.value({
          ...deps,
          catalogue: of,
          yieldWhenDue,
          pause: () => Promise.resolve(),
          cache: '.',
          redact: (texts) => texts,
        }),
    })
    const ids = async (query: string) =>
      (await catalogue.search({ query, top_k: 50, counts: () => true })).map(({ tool_id }) => tool_id)
    expect(await ids('brass')).toHaveLength(45)
    await registerTools({ ...deps, catalogue }, 'mail', [
      tool('tool_0', { description: 'Feeds parrots' }),
      ...many.slice(1),
    ])
    // A definition that is not admitted is not indexed: the tool is still found by its admitted words.
    expect([await ids('parrots'), (await ids('brass')).length]).toEqual([[], 45])
    const before = steps
    const hash = catalogue.tool('mail__tool_0')?.row.definition_hash ?? ''
    await admitTool({ ...deps, catalogue }, ADMIN, 'mail__tool_0', hash, {})
    expect(await ids('parrots')).toEqual(['mail__tool_0'])
    // One row read and one document indexed.
    expect(steps - before).toBe(2)
    expect(await ids('brass')).toHaveLength(44)
    await registerTools({ ...deps, catalogue }, 'mail', many.slice(1))
    expect(await ids('parrots')).toEqual([])
  })
})
