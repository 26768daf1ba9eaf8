import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../test/read-config.ts'
import type { ServerSettings } from '../../kernel/contract/server-settings.ts'
import { Pack } from './pack.ts'
import { ToolEffect, type ToolDefinition, type ToolRow } from '../../kernel/contract/tool.ts'
import { joinTool, type JoinWith } from '../../kernel/catalogue/join-tool.ts'
import { riskClassOf } from '../../kernel/catalogue/effects.ts'
import { BUILT_IN } from './load-packs.ts'
import { packageOf, packFor, packSays, type KnownPack } from './match-pack.ts'

function settingsOf(server: object): ServerSettings {
  const read = readConfig({ servers: { s: server } })
  const settings = read.ok ? read.value.servers['s'] : undefined
  if (settings === undefined) throw new Error(JSON.stringify(read))
  return settings
}
const packOf = (server: object) => packFor(BUILT_IN, settingsOf(server))?.pack.pack

describe('the pack for a server is found', () => {
  test.each([
    ['npx', ['-y', '@modelcontextprotocol/server-github']],
    ['npx', ['@modelcontextprotocol/server-github@2025.4.8', 'more']],
    ['/usr/local/bin/npx', ['--yes', '--package=@modelcontextprotocol/server-github', 'mcp-server-github']],
    ['npx.cmd', ['-p', '@modelcontextprotocol/server-github', 'mcp-server-github']],
    ['npm', ['exec', '--', '@modelcontextprotocol/server-github']],
    ['pnpm', ['dlx', '@modelcontextprotocol/server-github']],
    ['node', ['/x/node_modules/@modelcontextprotocol/server-github/dist/index.js']],
    ['node', ['--no-warnings', '../node_modules/@modelcontextprotocol/server-github/dist/index.js']],
  ])('by the package that is run: %s %j', (command, args) => {
    expect(packOf({ command, args })).toBe('github')
  })

  test.each([
    ['npx', ['-y', 'evil-server', '@modelcontextprotocol/server-github']],
    ['npx', ['-y', '@evil/server-github']],
    ['npx', ['-y', '@modelcontextprotocol/server-github/../evil']],
    ['node', ['./evil.js', '/x/node_modules/@modelcontextprotocol/server-github/dist/index.js']],
    ['node', ['/x/node_modules/@modelcontextprotocol/server-github/node_modules/evil/index.js']],
    ['./server-github', []],
    ['sh', ['-c', 'npx @modelcontextprotocol/server-github']],
  ])('not by a package that is only mentioned: %s %j', (command, args) => {
    expect(packOf({ command, args })).toBeUndefined()
  })

  test.each([
    ['https://mcp.stripe.com', 'stripe'],
    ['https://mcp.stripe.com/v1', 'stripe'],
    ['https://MCP.stripe.com/', 'stripe'],
    ['https://mcp.stripe.com.evil.example/', undefined],
    ['https://evil.example/mcp.stripe.com', undefined],
    ['https://mcp.stripe.com:8443/', undefined],
    ['http://mcp.stripe.com/', undefined],
  ])('by its address: %s', (url, pack) => {
    expect(packOf({ url })).toBe(pack)
  })

  test('not for any command that runs no package', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string(), { maxLength: 5 }), (command, args) => {
        const name = packageOf(command, args)
        expect(name === undefined || typeof name === 'string').toBe(true)
      }),
    )
  })
})

describe('what a pack says of a tool', () => {
  const KNOWN_HASH = 'a'.repeat(64)
  const OTHER_HASH = 'b'.repeat(64)
  const packWith = (effects: readonly ToolEffect[], definitions = [KNOWN_HASH]): KnownPack => ({
    source: 'built-in',
    pack: {
      pack: 'p',
      title: 'P',
      from: 'a test',
      packages: [],
      addresses: [],
      clients: [],
      tools: { t: { effects: [...effects], definitions, recipients: ['/to'], amounts: ['/amount'], paths: ['/file'] } },
    },
  })
  const rowOf = (hash: string, more: Partial<ToolDefinition> = {}): ToolRow => {
    const definition = { name: 't', description: 'Deletes everything.', inputSchema: {}, ...more }
    const admitted = { hash, definition, at: 0, by: 'first-listing' }
    return {
      v: 1,
      tool_id: 's__t',
      server: 's',
      definition,
      definition_hash: hash,
      admitted,
      first_seen: 0,
      last_changed: 0,
    }
  }
  const plain = settingsOf({ command: 'x' })
  /** As if effects were inferred from the first word of a description. */
  const inferred: Readonly<Record<string, readonly ToolEffect[]>> = {
    Reads: ['read'],
    Sends: ['write', 'external'],
    Deletes: ['write', 'destructive'],
  }
  const infer: JoinWith['infer'] = ({ description = '' }) => inferred[description.split(' ')[0] ?? ''] ?? []
  const using = (known: KnownPack): JoinWith => ({ infer, packOf: (name, hash) => packSays(known, name, hash) })

  test('a definition that it was made from has exactly its effects', () => {
    expect(joinTool(rowOf(KNOWN_HASH), plain, using(packWith(['read'])))).toMatchObject({
      effects: ['read'],
      effects_from: 'pack',
      risk: 'low',
      pack: 'p',
      amounts: ['/amount'],
      recipients: ['/to'],
      paths: ['/file'],
    })
  })

  test('law: for any other definition it never lowers the class or removes an effect', () => {
    const effects = fc.subarray([...ToolEffect.options], { minLength: 1 })
    const words = fc.constantFrom('Reads a page.', 'Sends a mail.', 'Deletes everything.', '')
    const order = ['low', 'medium', 'high', 'critical']
    fc.assert(
      fc.property(effects, words, fc.boolean(), (known, description, trusted) => {
        const row = rowOf(OTHER_HASH, { description, annotations: { readOnlyHint: true } })
        const settings: ServerSettings = { ...plain, trusted }
        const without = joinTool(row, settings, { infer })
        const raised = joinTool(row, settings, using(packWith(known)))
        expect(order.indexOf(raised.risk)).toBeGreaterThanOrEqual(order.indexOf(without.risk))
        for (const effect of without.effects) if (effect !== 'read') expect(raised.effects).toContain(effect)
        expect(raised.risk).toBe(riskClassOf(raised.effects, []))
        for (const name of ['pack', 'amounts', 'recipients', 'paths', 'rollback'])
          expect(raised).not.toHaveProperty(name)
      }),
    )
  })

  test('a changed definition that was not admitted adds its possible effects', () => {
    const row = { ...rowOf(KNOWN_HASH), definition_hash: OTHER_HASH }
    const tool = joinTool(row, plain, using(packWith(['read'])))
    expect([tool.effects.includes('destructive'), tool.pack]).toEqual([true, undefined])
  })

  test("the operator's declaration overrides it, in both directions", () => {
    const says = (effects: readonly string[]) => settingsOf({ command: 'x', tools: { t: { effects } } })
    expect(joinTool(rowOf(KNOWN_HASH), says(['destructive']), using(packWith(['read'])))).toMatchObject({
      effects: ['destructive'],
      effects_from: 'configured',
    })
    expect(joinTool(rowOf(KNOWN_HASH), says(['read']), using(packWith(['destructive'])))).toMatchObject({
      effects: ['read'],
    })
  })

  test("a pack for a coding agent applies to that agent's own list of tools, and to no server", () => {
    const { pack } = packWith(['read'], [])
    const known: KnownPack = { source: 'built-in', pack: { ...pack, clients: ['codex'] } }
    expect(packFor([known], settingsOf({ client: 'codex' }))).toBe(known)
    expect(packFor([known], settingsOf({ client: 'gemini' }))).toBeUndefined()
    expect(packFor([known], settingsOf({ command: 'npx', args: ['codex'] }))).toBeUndefined()
    expect(Pack.safeParse({ ...known.pack, packages: ['codex'] }).success).toBe(false)
    expect(joinTool(rowOf(OTHER_HASH), settingsOf({ client: 'codex' }), using(known))).toMatchObject({
      effects: ['read'],
      effects_from: 'pack',
    })
  })

  test('names of inherited fields are not tools', () => {
    for (const name of ['constructor', 'toString', '__proto__'])
      expect(joinTool(rowOf(KNOWN_HASH, { name }), plain, using(packWith(['read']))).effects_from).not.toBe('pack')
  })
})
