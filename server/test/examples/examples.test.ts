import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { IS_WHOLE } from '../some-of.ts'

const root = resolve(import.meta.dirname, '../../..')
const agents = join(root, 'examples/agents')

function run(program: string, ...words: readonly string[]): Promise<string> {
  return new Promise((done) => {
    const child = spawn(program, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text))
    child.on('close', (code) => done(`${said} exit ${code}`))
  })
}

describe.concurrent('an example ends with the documented output', () => {
  // Starts three gates, so it runs with `npm run test:whole`, like the examples with a real homeserver.
  const isHeavy = (story: string) => story.startsWith('examples/newsroom')
  const stories = globSync('examples/*/*.ts', { cwd: root }).filter(
    (story) => !story.startsWith('examples/agents') && (IS_WHOLE || !isHeavy(story)),
  )
  expect(stories.length).toBeGreaterThan(2)
  test.each(stories)('%s', { timeout: 120_000 }, async (story) =>
    expect(await run(process.execPath, resolve(root, story))).toMatch(/ exit 0$/),
  )
})

/** The frameworks have their own lockfile and are installed on the first run of `npm run test:whole`. */
function isInstalled(): boolean {
  if (existsSync(join(agents, 'node_modules'))) return true
  const installed = spawnSync('npm', ['ci', '--silent', '--no-audit', '--no-fund'], { cwd: agents, encoding: 'utf8' })
  if (installed.status !== 0) console.log(`skipped: the agent frameworks cannot be installed\n${installed.stderr}`)
  return installed.status === 0
}

describe.runIf(IS_WHOLE && isInstalled())('an agent of a framework', () => {
  test.concurrent.each(['vercel-ai-sdk', 'langgraph', 'openai-agents'])(
    '%s continues by itself after the approval',
    async (name) => expect(await run(process.execPath, join(agents, `${name}.ts`))).toMatch(/ exit 0$/),
  )
  test('passes the type check', async () => expect(await run('npx', 'tsc', '-p', agents)).toMatch(/ exit 0$/))
})
