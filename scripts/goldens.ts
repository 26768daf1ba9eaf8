import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { CliHost } from '../server/src/adapters/cli/cli.ts'
import { runCli } from '../server/src/adapters/cli/program.ts'
import { COMMON_TOOLS, SEARCH_TOOLS } from '../server/src/adapters/mcp/own-tools.ts'
import { commandsOf } from '../server/src/main/commands.ts'
import { GUESTS } from '../server/src/main/guests.ts'
import { accessMatrix } from './access-matrix.ts'

/** What others rely on, as text, by its file in `server/test/goldens`. `npm run generate` writes it: read the difference. */
export const GOLDENS: Readonly<Record<string, () => string | Promise<string>>> = {
  'access.txt': accessMatrix,
  'help.txt': helpTexts,
  'mcp-tools.txt': mcpTools,
  'names.txt': namesInCode,
}

/** The help of every command. */
async function helpTexts(): Promise<string> {
  const texts: string[] = []
  const tell = async (words: readonly string[]): Promise<void> => {
    const help = await helpOf(words)
    texts.push(`$ sluice ${[...words, '--help'].join(' ')}\n${help}`)
    const [, listed = ''] = help.split('\nCommands:\n')
    for (const [, name = ''] of listed.matchAll(/^ {2}([a-z][\w-]*)/gm))
      if (name !== 'help') await tell([...words, name])
  }
  await tell([])
  return texts.join('\n')
}

/** As it is printed where nobody says how wide the terminal is. */
async function helpOf(words: readonly string[]): Promise<string> {
  const { stdout } = process
  const { write, columns } = stdout
  const host = { version: 'VERSION', launcher: 'sluice' } as CliHost
  let said = ''
  // Each run of the command line listens for a reader that goes away.
  stdout.setMaxListeners(0)
  stdout.write = (text: string | Uint8Array) => {
    said += String(text)
    return true
  }
  Object.assign(stdout, { columns: undefined })
  try {
    await runCli(['node', 'sluice', ...words, '--help'], commandsOf(GUESTS), host)
  } finally {
    Object.assign(stdout, { write, columns })
  }
  return said
}

/** The tools that a gate offers itself over MCP. */
async function mcpTools(): Promise<string> {
  const ofGuests = await Promise.all(
    GUESTS.map(async ({ ownTools }) => (await ownTools?.())?.({} as never).tools ?? []),
  )
  return `${JSON.stringify([...COMMON_TOOLS, ...ofGuests.flat(), ...SEARCH_TOOLS], undefined, 2)}\n`
}

/** The names that entries of the audit, events and rules have. */
function namesInCode(): string {
  const source = resolve(import.meta.dirname, '../server/src')
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !/\.(test|suite|measure)\.ts$/.test(file))
  const names = files.flatMap((file) =>
    [...readFileSync(join(source, file), 'utf8').matchAll(/'([a-z][a-z_]*(?:\.[a-z][a-z_]*)+)'/g)].map(
      ([, name]) => name,
    ),
  )
  return `${[...new Set(names)].toSorted().join('\n')}\n`
}
