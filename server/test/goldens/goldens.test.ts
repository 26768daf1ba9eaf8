import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { CliHost } from '../../src/adapters/cli/cli.ts'
import { runCli } from '../../src/adapters/cli/program.ts'
import { commandsOf } from '../../src/main/commands.ts'
import { GUESTS } from '../../src/main/guests.ts'
import { COMMON_TOOLS, SEARCH_TOOLS } from '../../src/adapters/mcp/own-tools.ts'

/**
 * What others rely on, as text: change it only on purpose, with `npx vitest run server/test/goldens --update`, and read the difference. The
 * problem codes, the access matrix, the OpenAPI document and the configuration reference have tests of their own.
 */
const byCode = (one: string = '', other: string = '') => (one < other ? -1 : 1)
const golden = (name: string) => join(import.meta.dirname, name)

test('the help of every command', async () => {
  let said = ''
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += String(text)
    return true
  })
  const host = { version: 'VERSION', launcher: 'sluice' } as CliHost
  const texts: string[] = []
  const tell = async (words: readonly string[]): Promise<void> => {
    said = ''
    await runCli(['node', 'sluice', ...words, '--help'], commandsOf(GUESTS), host)
    const help = said
    texts.push(`$ sluice ${[...words, '--help'].join(' ')}\n${help}`)
    const [, listed = ''] = help.split('\nCommands:\n')
    for (const [, name = ''] of listed.matchAll(/^ {2}([a-z][\w-]*)/gm)) if (name !== 'help') await tell([...words, name])
  }
  try {
    await tell([])
  } finally {
    write.mockRestore()
  }
  expect(texts.length).toBeGreaterThan(100)
  await expect(texts.join('\n')).toMatchFileSnapshot(golden('help.txt'))
})

test('the tools that the gate offers itself over MCP', async () => {
  const ofGuests = await Promise.all(GUESTS.map(async ({ ownTools }) => (await ownTools?.())?.({} as never).tools ?? []))
  const tools = [...COMMON_TOOLS, ...ofGuests.flat(), ...SEARCH_TOOLS]
  await expect(`${JSON.stringify(tools, undefined, 2)}\n`).toMatchFileSnapshot(golden('mcp-tools.txt'))
})

test('the names that entries of the audit, events and rules have', async () => {
  const source = resolve(import.meta.dirname, '../../src')
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !/\.(test|suite|measure)\.ts$/.test(file))
  const names = files.flatMap((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(/'([a-z][a-z_]*(?:\.[a-z][a-z_]*)+)'/g)].map(([, name]) => name),
  )
  expect(names.length).toBeGreaterThan(500)
  await expect(`${[...new Set(names)].toSorted(byCode).join('\n')}\n`).toMatchFileSnapshot(golden('names.txt'))
})
