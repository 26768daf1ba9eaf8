import { describe, expect, test } from 'vitest'
import { serversOf, withLedger } from '../../../test/tool-servers/with-ledger.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { openCatalogue } from './catalogue.ts'
import { registerTools } from './register-tools.ts'

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

  test('takes undeclared effects from the definition, and does not run such a tool twice', () => {
    const servers = serversOf({ mail: { command: 'x' } })
    return withLedger(servers, async ({ deps, store }) => {
      await registerTools(deps, 'mail', [tool('list_messages'), tool('zzz')])
      const infer = ({ name }: ToolDefinition) => (name === 'zzz' ? [] : (['read'] as const))
      const catalogue = await openCatalogue({ tables: store, servers, effects: { infer } })
      expect(catalogue.tool('mail__list_messages')).toMatchObject({
        effects: ['read'],
        effects_from: 'inferred',
        risk: 'low',
        idempotent: false,
      })
      expect(catalogue.tool('mail__zzz')).toMatchObject({ effects: ['write', 'external'], effects_from: 'unknown' })
    })
  })

  test('without anybody who infers, undeclared effects are the strictest', () =>
    withLedger(serversOf({ mail: { command: 'x' } }), async ({ deps, catalogue }) => {
      await registerTools(deps, 'mail', [tool('list_messages')])
      expect(catalogue.tool('mail__list_messages')).toMatchObject({ effects: ['write', 'external'], risk: 'high' })
    }))

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
})
