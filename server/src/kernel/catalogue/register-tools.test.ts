import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serversOf, withLedger, type LedgerRig } from '../../../test/tool-servers/with-ledger.ts'
import { refuse } from '../contract/problems.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import type { Committed } from '../ports/ledger.ts'
import { registerTools } from './register-tools.ts'

const SERVERS = serversOf({ mail: { command: 'x' }, files: { command: 'x' } })
const tool = (name: string, description = 'as it was'): ToolDefinition => ({ name, description, inputSchema: {} })
const inLedger = (use: (rig: LedgerRig) => Promise<void>) => withLedger(SERVERS, use)

describe('registering what a server lists', () => {
  test('the first listing ever is admitted as a whole, once per server', () =>
    inLedger(async ({ deps, tool: row, audited, store }) => {
      await registerTools(deps, 'mail', [tool('send'), tool('read')])
      await registerTools(deps, 'files', [tool('read')])
      for (const id of ['mail__send', 'mail__read', 'files__read'])
        expect((await row(id))?.admitted).toMatchObject({ by: 'first-listing', hash: (await row(id))?.definition_hash })
      expect(await audited()).toEqual(['tool.listed mail__send', 'tool.listed mail__read', 'tool.listed files__read'])
      expect(await store.count('servers', {})).toBe(2)
    }))

  test('a tool that appears later is listed and not admitted', () =>
    inLedger(async ({ deps, tool: row }) => {
      await registerTools(deps, 'mail', [tool('send')])
      await registerTools(deps, 'mail', [tool('send'), tool('delete')])
      expect(await row('mail__delete')).not.toHaveProperty('admitted')
      expect((await row('mail__send'))?.admitted).toBeDefined()
    }))

  test('an empty first listing is a first listing', () =>
    inLedger(async ({ deps, tool: row }) => {
      await registerTools(deps, 'mail', [])
      await registerTools(deps, 'mail', [tool('send')])
      expect(await row('mail__send')).not.toHaveProperty('admitted')
    }))

  test('a changed tool keeps the admission of its earlier definition', () =>
    inLedger(async ({ deps, tool: row, audited }) => {
      await registerTools(deps, 'mail', [tool('send')])
      const before = await row('mail__send')
      await registerTools(deps, 'mail', [tool('send', 'now sends to everyone')])
      const after = await row('mail__send')
      expect(after).toMatchObject({ admitted: before?.admitted, first_seen: before?.first_seen })
      expect(after?.definition_hash).not.toBe(before?.definition_hash)
      expect(after?.definition.description).toBe('now sends to everyone')
      expect(after?.last_changed).toBeGreaterThan(before?.last_changed ?? 0)
      expect((await audited()).at(-1)).toBe('tool.changed mail__send')
    }))

  test('a removed tool stays with the time of its removal and may come back unchanged', () =>
    inLedger(async ({ deps, tool: row, audited, catalogue }) => {
      await registerTools(deps, 'mail', [tool('send')])
      const before = await row('mail__send')
      await registerTools(deps, 'mail', [])
      expect((await row('mail__send'))?.gone_at).toBeTypeOf('number')
      expect(catalogue.tool('mail__send')?.row.gone_at).toBeTypeOf('number')
      await registerTools(deps, 'mail', [tool('send')])
      expect(await row('mail__send')).toEqual(before)
      expect(await audited()).toEqual(['tool.listed mail__send', 'tool.gone mail__send', 'tool.listed mail__send'])
    }))

  test('a tool that comes back changed is a changed tool', () =>
    inLedger(async ({ deps, tool: row }) => {
      await registerTools(deps, 'mail', [tool('send')])
      await registerTools(deps, 'mail', [])
      await registerTools(deps, 'mail', [tool('send', 'other')])
      const back = await row('mail__send')
      expect(back).not.toHaveProperty('gone_at')
      expect(back?.admitted?.hash).not.toBe(back?.definition_hash)
    }))

  test('an unchanged listing writes nothing, in any order', () =>
    inLedger(async ({ deps, audited, store }) => {
      await registerTools(deps, 'mail', [tool('send'), tool('read')])
      const version = (await store.row('tools', 'mail__send'))?.version
      await registerTools(deps, 'mail', [tool('read'), { ...tool('send'), inputSchema: {} }])
      expect((await store.row('tools', 'mail__send'))?.version).toBe(version)
      expect(await audited()).toHaveLength(2)
    }))

  test('the first of two equal names counts, and a tool that cannot be pinned is not offered', () =>
    inLedger(async ({ deps, tool: row }) => {
      const unpinnable = tool('odd', 'a lone \ud800 surrogate')
      const registered = await registerTools(deps, 'mail', [tool('send'), tool('send', 'again'), unpinnable])
      expect(registered).toMatchObject({
        ok: true,
        value: {
          listed: ['mail__send'],
          findings: [
            { rule: 'name_taken', tools: 1, example: 'send' },
            { rule: 'not_canonical', tools: 1, example: 'odd' },
          ],
        },
      })
      expect((await row('mail__send'))?.definition.description).toBe('as it was')
    }))

  test('a tool that can no longer be pinned is removed, not silently kept', () =>
    inLedger(async ({ deps, tool: row }) => {
      await registerTools(deps, 'mail', [tool('send')])
      await registerTools(deps, 'mail', [tool('send', '\udc00')])
      expect((await row('mail__send'))?.gone_at).toBeTypeOf('number')
    }))

  test('more tools than fit one page are all reconciled', () =>
    inLedger(async ({ deps, store, catalogue }) => {
      const many = Array.from({ length: 1_203 }, (_, n) => tool(`tool-${n}`))
      await registerTools(deps, 'mail', many)
      expect(await registerTools(deps, 'mail', many.slice(1))).toMatchObject({
        value: { listed: [], changed: [], gone: ['mail__tool-0'] },
      })
      expect([await store.count('tools', {}), catalogue.tools().length]).toEqual([1_203, 1_203])
    }))

  test('two processes that see the same first listing admit it once', () =>
    inLedger(async ({ deps, audited, tool: row }) => {
      const both = [registerTools(deps, 'mail', [tool('send')]), registerTools(deps, 'mail', [tool('send')])]
      expect((await Promise.all(both)).map(({ ok }) => ok)).toEqual([true, true])
      expect(await audited()).toEqual(['tool.listed mail__send'])
      expect((await row('mail__send'))?.admitted?.by).toBe('first-listing')
    }))

  test('a ledger that cannot write, or always loses, is reported as a problem', () =>
    inLedger(async ({ deps, tool: row }) => {
      for (const outcome of ['unavailable', { lost: 0 }] satisfies Committed[]) {
        const ledger = { commit: async () => outcome }
        expect(await registerTools({ ...deps, ledger }, 'mail', [tool('send')])).toEqual(
          refuse('audit.unavailable', { server: 'mail' }),
        )
      }
      const doubtful = { commit: async () => ({ in_doubt: 'x' }) }
      expect(await registerTools({ ...deps, ledger: doubtful }, 'mail', [tool('send')])).toEqual(
        refuse('audit.in_doubt', { server: 'mail' }),
      )
      expect(await row('mail__send')).toBeUndefined()
    }))

  test('law: whatever is listed after the first listing, nothing more is ever admitted', async () => {
    const listing = fc.uniqueArray(
      fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), description: fc.constantFrom('x', 'y', 'z') }),
      { selector: ({ name }) => name, maxLength: 4 },
    )
    await fc.assert(
      fc.asyncProperty(listing, fc.array(listing, { minLength: 1, maxLength: 6 }), (first, later) =>
        inLedger(async ({ deps, catalogue }) => {
          const admitted = () =>
            catalogue.tools().map(({ row }) => `${row.tool_id} ${row.admitted?.definition.description ?? 'nothing'}`)
          await registerTools(
            deps,
            'mail',
            first.map(({ name, description }) => tool(name, description)),
          )
          const before = admitted()
          for (const one of later) {
            await registerTools(
              deps,
              'mail',
              one.map(({ name, description }) => tool(name, description)),
            )
            expect(
              admitted()
                .filter((line) => !line.endsWith(' nothing'))
                .sort(),
            ).toEqual([...before].sort())
            const live = catalogue.tools().filter(({ row }) => row.gone_at === undefined)
            expect(live.map(({ row }) => `${row.definition.name} ${row.definition.description}`).sort()).toEqual(
              one.map(({ name, description }) => `${name} ${description}`).sort(),
            )
          }
        }),
      ),
      { numRuns: 15 },
    )
  })
})
