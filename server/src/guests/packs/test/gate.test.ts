import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../../../test/helpers/with-running-gate.ts'

const find = createRequire(import.meta.url)
const FILES = join(find.resolve('@modelcontextprotocol/server-filesystem/package.json'), '../dist/index.js')
const BOOK = resolve(import.meta.dirname, '../../../../test/tool-servers/effects.ts')

/** An operator's own pack, for a server that it knows by its package. */
const OWN_PACK = `
pack: book
title: The book
from: our own server
packages: [book-server]
tools:
  note: { effects: [write, privileged] }
  look: { effects: [read] }
`

let gate: RunningGate & { stop(): Promise<void> }
let key = ''
beforeAll(async () => {
  gate = await startGate((folder) => {
    for (const name of [
      'desk',
      'packs',
      'node_modules/@modelcontextprotocol/server-memory',
      'node_modules/book-server',
    ])
      mkdirSync(join(folder, name), { recursive: true })
    writeFileSync(join(folder, 'packs/book.yaml'), OWN_PACK)
    // A server that pretends to be the memory server: its definitions are not the recorded ones.
    const imports = `import ${JSON.stringify(BOOK)}\n`
    writeFileSync(join(folder, 'node_modules/@modelcontextprotocol/server-memory/index.mjs'), imports)
    writeFileSync(join(folder, 'node_modules/book-server/index.mjs'), imports)
    const started = (path: string, ...more: string[]) => ({
      command: 'node',
      args: [path, ...more],
      env: { EFFECTS: join(folder, 'effects.txt') },
    })
    const servers = {
      codex: { client: 'codex' },
      files: { ...started(FILES, './desk'), tools: { edit_file: { effects: ['write'] } } },
      memory: started('./node_modules/@modelcontextprotocol/server-memory/index.mjs'),
      book: started('./node_modules/book-server/index.mjs'),
    }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ listen: { port: 0 }, packs: './packs', servers }))
  })
  key = await gate.key('approver', 'ada')
})
afterAll(() => gate.stop())

type Tool = { tool_id: string; effects: string[]; effects_from: string; pack?: string; risk: string }
const tools = async () => (await gate.http('GET', '/v1/tools?limit=200', key)).body['items'] as Tool[]
const toolNamed = async (id: string) => (await tools()).find(({ tool_id }) => tool_id === id)

test('a real server gets what its pack says, and the operator`s settings take precedence', async () => {
  expect(await toolNamed('files__read_text_file')).toMatchObject({
    effects: ['read'],
    effects_from: 'pack',
    pack: 'filesystem',
  })
  expect(await toolNamed('files__write_file')).toMatchObject({
    effects: ['write', 'destructive'],
    effects_from: 'pack',
  })
  expect(await toolNamed('files__edit_file')).toMatchObject({ effects: ['write'], effects_from: 'configured' })
})

test('a server that only pretends to be a known package gets nothing from the pack', async () => {
  for (const tool of (await tools()).filter(({ tool_id }) => tool_id.startsWith('memory__')))
    expect([tool.tool_id, tool.effects_from === 'pack' && tool.risk === 'low', tool.pack]).toEqual([
      tool.tool_id,
      false,
      undefined,
    ])
})

test('the operator`s own pack is used; without a definition it only adds effects', async () => {
  expect(await toolNamed('book__note')).toMatchObject({ effects_from: 'pack', risk: 'critical' })
  expect((await toolNamed('book__note'))?.effects).toEqual(expect.arrayContaining(['write', 'privileged']))
  expect((await toolNamed('book__look'))?.pack).toBeUndefined()
})

test('the command line lists, shows and checks', async () => {
  const checked = await gate.cli('packs', 'check')
  expect(checked.out).toContain('files: pack filesystem, 14 tools as recorded, 0 changed, 0 not in the pack')
  expect(checked.out).toContain('memory: pack memory, 0 tools as recorded')
  expect((await gate.cli('packs', 'show', 'github')).out).toContain(
    'create_issue: write, external; recipients /owner /repo /assignees',
  )
  expect(checked.out).toMatch(/codex: pack codex, \d+ tools as recorded, 0 changed, 0 not in the pack/)
  const codex = (await gate.cli('packs', 'show', 'codex')).out
  expect(codex).toContain('read from @openai/codex 0.166.0')
  expect(codex).toContain('coding agents: codex')
  expect(codex).toContain('view_image: read; paths /path')
  expect(await toolNamed('codex__apply_patch')).toMatchObject({
    effects_from: 'pack',
    pack: 'codex',
    effects: ['write'],
  })
  expect((await gate.cli('packs', 'show', 'nothing')).code).toBe(64)
})
