import { describe, expect, test } from 'vitest'
import { serversOf, withLedger, type LedgerRig } from '../../../test/tool-servers/with-ledger.ts'
import type { Caller, CallerKind } from '../contract/caller.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import { admitTool } from './admit-tool.ts'
import { registerTools } from './register-tools.ts'

const as = (kind: CallerKind): Caller => ({ kind, id: `${kind}:ann`, user: 'ann' })
const tool = (description: string): ToolDefinition => ({ name: 'send', description, inputSchema: {} })

/** A server whose tool changed after its first listing; `use` gets its current hash. */
const changed = (use: (rig: LedgerRig, hash: string) => Promise<void>) =>
  withLedger(serversOf({ mail: { command: 'x' } }), async (rig) => {
    await registerTools(rig.deps, 'mail', [tool('before')])
    await registerTools(rig.deps, 'mail', [tool('after')])
    await use(rig, (await rig.tool('mail__send'))?.definition_hash ?? '')
  })

describe('admitting a definition', () => {
  test('an admin admits exactly the named definition, it is recorded, and the catalogue is updated at once', () =>
    changed(async ({ deps, catalogue, tool: row, audited }, hash) => {
      expect(await admitTool(deps, as('admin'), 'mail__send', hash, {})).toMatchObject({ ok: true })
      expect((await row('mail__send'))?.admitted).toMatchObject({ hash, by: 'admin:ann', definition: tool('after') })
      expect(catalogue.tool('mail__send')?.row.admitted?.hash).toBe(hash)
      expect((await audited()).at(-1)).toBe('tool.admitted mail__send')
    }))

  test('nobody but an admin can', () =>
    changed(async ({ deps, tool: row }, hash) => {
      for (const kind of ['agent', 'user', 'approver', 'reviewer', 'node'] as const)
        expect(await admitTool(deps, as(kind), 'mail__send', hash, {})).toMatchObject({
          problem: { code: 'auth.forbidden', about: { needs: 'admin' } },
        })
      expect((await row('mail__send'))?.admitted?.hash).not.toBe(hash)
    }))

  test('a hash that is not the current one is rejected, including the one admitted before', () =>
    changed(async ({ deps, tool: row }, hash) => {
      const old = (await row('mail__send'))?.admitted?.hash ?? ''
      for (const named of [old, 'f'.repeat(64), ''])
        expect(await admitTool(deps, as('admin'), 'mail__send', named, {})).toMatchObject({
          problem: { code: 'tool.hash_differs', about: { present: hash } },
        })
      expect((await row('mail__send'))?.admitted?.hash).toBe(old)
    }))

  test('a definition that changes between reading and admitting is not admitted', () =>
    changed(async ({ deps, tool: row }, hash) => {
      const ledger: typeof deps.ledger = {
        ...deps.ledger,
        async commit(changes) {
          await registerTools(deps, 'mail', [tool('changed in the meantime')])
          return deps.ledger.commit(changes)
        },
      }
      const admitted = await admitTool({ ...deps, ledger }, as('admin'), 'mail__send', hash, {})
      expect(admitted).toMatchObject({ problem: { code: 'tool.hash_differs' } })
      expect((await row('mail__send'))?.admitted?.definition).toEqual(tool('before'))
    }))

  test('an unknown or removed tool is rejected, each with its own code', () =>
    changed(async ({ deps }, hash) => {
      expect(await admitTool(deps, as('admin'), 'mail__none', hash, {})).toMatchObject({
        problem: { code: 'tool.unknown' },
      })
      await registerTools(deps, 'mail', [])
      expect(await admitTool(deps, as('admin'), 'mail__send', hash, {})).toMatchObject({
        problem: { code: 'tool.gone' },
      })
    }))

  test('admitting an admitted definition writes nothing', () =>
    changed(async ({ deps, audited }, hash) => {
      await admitTool(deps, as('admin'), 'mail__send', hash, {})
      const before = await audited()
      expect(await admitTool(deps, as('admin'), 'mail__send', hash, {})).toMatchObject({ ok: true })
      expect(await audited()).toEqual(before)
    }))

  test('an admission that cannot be recorded does not take effect', () =>
    changed(async ({ deps }, hash) => {
      const ledger = { commit: async () => 'unavailable' as const }
      expect(await admitTool({ ...deps, ledger }, as('admin'), 'mail__send', hash, {})).toMatchObject({
        problem: { code: 'audit.unavailable' },
      })
    }))
})
