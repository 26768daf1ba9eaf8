import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { serversOf, withLedger } from '../../../test/tool-servers/with-ledger.ts'
import type { Caller } from '../contract/caller.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { inferEffects } from '../../guests/risk/infer-effects.ts'
import { admitTool } from './admit-tool.ts'
import { openCatalogue } from './catalogue.ts'
import { rememberEffects } from '../../guests/risk/inferred-effects.ts'
import { registerTools } from './register-tools.ts'

const ADMIN: Caller = { kind: 'admin', id: 'admin:a', user: 'ana' }
const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({ name, inputSchema: {}, ...more })

describe('the catalogue', () => {
  test("joins a tool with the operator's settings", () =>
    withLedger(
      serversOf({
        mail: {
          command: 'x',
          tools: {
            send: { effects: ['external'], idempotent: true, dry_run: { args: { dry_run: true }, effect_free: true } },
            wipe: { effects: ['read'], tags: ['Production'] },
          },
        },
      }),
      async ({ deps, catalogue }) => {
        await registerTools(deps, 'mail', [tool('send'), tool('wipe'), tool('constructor')])
        expect(catalogue.tool('mail__send')).toMatchObject({
          effects: ['external'],
          effects_from: 'configured',
          risk: 'high',
          idempotent: true,
          dry_run: { args: { dry_run: true }, effect_free: true },
        })
        expect(catalogue.tool('mail__wipe')).toMatchObject({ risk: 'critical', idempotent: true })
        expect(catalogue.tool('mail__constructor')).not.toHaveProperty('dry_run')
      },
    ))

  test('is the same after a restart, without the tools of servers that are no longer configured', () => {
    const servers = serversOf({ mail: { command: 'x' }, files: { command: 'x' } })
    return withLedger(servers, async ({ deps, catalogue, store }) => {
      await registerTools(deps, 'mail', [tool('send')])
      await registerTools(deps, 'files', [tool('read')])
      const again = await openCatalogue({ tables: store, servers })
      expect(again.tools()).toEqual(catalogue.tools())
      const fewer = await openCatalogue({ tables: store, servers: serversOf({ files: { command: 'x' } }) })
      expect([fewer.tool('mail__send'), fewer.tools().map(({ row }) => row.tool_id)]).toEqual([
        undefined,
        ['files__read'],
      ])
    })
  })

  test('infers undeclared effects from the definition, and does not run such a tool twice', () =>
    withLedger(serversOf({ mail: { command: 'x' } }), async ({ deps, catalogue }) => {
      await registerTools(deps, 'mail', [tool('list_messages', { description: 'List the messages of a folder' })])
      expect(catalogue.tool('mail__list_messages')).toMatchObject({
        effects: ['read'],
        effects_from: 'inferred',
        risk: 'low',
        idempotent: false,
      })
    }))

  test('infers a definition once, even if the configuration is read again', () => {
    const servers = serversOf({ mail: { command: 'x' } })
    return withLedger(servers, async ({ deps, store }) => {
      await registerTools(deps, 'mail', [tool('list_messages'), tool('send')])
      const read: string[] = []
      const infer = rememberEffects((definition) => {
        read.push(definition.name)
        return inferEffects(definition)
      })
      const catalogue = await openCatalogue({ tables: store, servers, infer })
      const before = catalogue.tools()
      await catalogue.reconfigured(['mail'])
      expect(catalogue.tools()).toEqual(before)
      expect(read.toSorted()).toEqual(['list_messages', 'send'])
    })
  })

  test('trusts only annotations of trusted servers', () =>
    withLedger(
      serversOf({ mail: { command: 'x', trusted: true }, web: { command: 'x' } }),
      async ({ deps, catalogue }) => {
        const quiet = tool('zzz', { annotations: { readOnlyHint: true } })
        await registerTools(deps, 'mail', [quiet])
        await registerTools(deps, 'web', [quiet])
        expect(catalogue.tool('mail__zzz')).toMatchObject({ effects: ['read'], risk: 'low', effects_from: 'annotated' })
        expect(catalogue.tool('web__zzz')).toMatchObject({ effects: ['write', 'external'], risk: 'high' })
      },
    ))

  test('is indexed in steps, and a changed tool is one step', () => {
    const servers = serversOf({ mail: { command: 'x' } })
    return withLedger(servers, async ({ deps, store }) => {
      const many = Array.from({ length: 45 }, (_, at) => tool(`tool_${at}`, { description: 'Polishes brass' }))
      await registerTools(deps, 'mail', many)
      let steps = 0
      const yieldWhenDue = async () => {
        steps += 1
        await setImmediate()
      }
      const catalogue = await openCatalogue({ tables: store, servers, yieldWhenDue })
      const ids = async (query: string) => (await catalogue.search(query, 50, () => true)).map(({ id }) => id)
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
})
