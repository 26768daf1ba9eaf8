import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGate, type RunningGate } from '../../test/helpers/with-running-gate.ts'
import { installPublished } from '../../test/security/published/pack.ts'
import { IS_WHOLE } from '../../test/some-of.ts'

const GOOD = `
import { createClient, isProblem, type AnswerOf } from 'sluice/client'

const gate = createClient({ url: process.env['GATE_URL'] ?? '', key: process.env['GATE_KEY'] ?? '' })
const health: AnswerOf<'GET /healthz'> = await gate.ask('GET /healthz')
const held = await gate.ask('POST /v1/calls', { body: { tool: 'book__note', args: { text: 'from the package' } } })
let code = ''
try {
  await gate.ask('POST /v1/calls', { body: { tool: 'book__note', args: { text: 'SHOUT' } } })
} catch (error) {
  if (isProblem(error)) code = error.code
}
const names: string[] = []
for await (const tool of gate.items('GET /v1/tools')) names.push(tool.tool_id)
console.log(JSON.stringify({ health: typeof health, held: held.status, code, tools: names.length }))
`
const WRONG = {
  'a route that does not exist': `await gate.ask('GET /v1/nothing')`,
  'a body with a wrong field': `await gate.ask('POST /v1/calls', { body: { tol: 'x', args: {} } })`,
  'a field that no answer has': `console.log((await gate.ask('GET /healthz')).colour)`,
}

/** The package takes most of a minute to build: `npm run test:whole`. */
describe.skipIf(!IS_WHOLE)('the client of the published package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-client-'))
  const project = join(folder, 'project')
  let gate: RunningGate & { stop(): Promise<void> }
  beforeAll(async () => {
    const launcher = installPublished(folder)
    mkdirSync(join(project, 'node_modules/@types'), { recursive: true })
    symlinkSync(dirname(dirname(launcher)), join(project, 'node_modules/sluice'))
    const types = createRequire(import.meta.url).resolve('@types/node/package.json')
    symlinkSync(dirname(types), join(project, 'node_modules/@types/node'))
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
    const compilerOptions = { module: 'nodenext', target: 'es2024', strict: true, types: ['node'], outDir: 'out' }
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['use.ts'] }))
    gate = await startGate(undefined, ['up', '--trust'], launcher)
  }, 300_000)
  afterAll(async () => {
    await gate.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const compiled = (text: string) => {
    writeFileSync(join(project, 'use.ts'), text)
    return spawnSync('tsc', ['-p', project], { encoding: 'utf8' })
  }

  test('compiles against its types and talks to a gate, without anything else of the package', async () => {
    expect(compiled(GOOD)).toMatchObject({ status: 0, stdout: '' })
    const key = await gate.key('agent', 'packaged')
    const env = { ...process.env, GATE_URL: gate.url, GATE_KEY: key }
    const out = execFileSync(process.execPath, ['out/use.js'], { cwd: project, env, encoding: 'utf8' })
    expect(JSON.parse(out)).toEqual({
      health: 'object',
      held: 'pending',
      code: 'call.blocked',
      tools: expect.any(Number),
    })
  }, 120_000)

  test.each(Object.entries(WRONG))('%s is a type error', (_, line) => {
    const head = GOOD.slice(0, GOOD.indexOf('const health'))
    expect(compiled(`${head}${line}\n`).status).not.toBe(0)
  })
})
