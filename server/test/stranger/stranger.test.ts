import { spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyTree, startCopy } from '../../../scripts/copy-tree.ts'

/**
 * A guest that nobody has seen before, with one of everything but a table (its SQL is in the stores), in a copy of the project. Besides its folders, two
 * lists get one line each.
 */
const tree = copyTree()
const folder = mkdtempSync(join(tmpdir(), 'sluice-stranger-'))
const notebook = join(folder, 'notebook.txt')
let gate: ChildProcess

/** The import, and the name in the list. */
function addToList(file: string, list: string) {
  const text = readFileSync(join(tree, file), 'utf8')
  const path = file.startsWith('console') ? './guests/stranger/index.ts' : '../guests/stranger/index.ts'
  const added = `import { stranger } from '${path}'\n${text.replace(list, `${list}stranger, `)}`
  expect(added).toContain(`${list}stranger, `)
  writeFileSync(join(tree, file), added)
}

const launcher = join(tree, 'server/bin/sluice')
const sluice = (...words: readonly string[]) =>
  spawnSync(process.execPath, [launcher, ...words], { cwd: folder, encoding: 'utf8' })
const tsc = (project: string) =>
  spawnSync(join(tree, 'node_modules/.bin/tsc'), ['-p', project], { cwd: tree, encoding: 'utf8' }).stdout

beforeAll(async () => {
  cpSync(join(import.meta.dirname, 'guest'), join(tree, 'server/src/guests/stranger'), { recursive: true })
  cpSync(join(import.meta.dirname, 'console'), join(tree, 'console/src/guests/stranger'), { recursive: true })
  addToList('server/src/main/guests.ts', 'export const GUESTS: readonly Guest[] = [')
  addToList('console/src/guests.ts', 'export const GUESTS = [')
  const say = { description: 'Say something', run: ['echo', '{text}'], params: { text: {} }, effects: ['external'] }
  const config = {
    listen: { port: 0 },
    servers: { desk: { commands: { say } } },
    stranger: { says: 'nobody is at home today' },
    channels: { notebooks: [{ name: 'notes', file: notebook }] },
  }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  gate = await startCopy(tree, folder)
})
afterAll(async () => {
  gate.kill()
  await once(gate, 'exit')
  for (const made of [tree, folder]) rmSync(made, { recursive: true, force: true })
})

test('the walls, the deciders and the goldens know it after one command', () => {
  const generate = (...words: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/generate-docs.ts', ...words], { cwd: tree, encoding: 'utf8' })
  expect(generate('--check').stderr).toContain('server/src/main/guest-of-key.ts')
  expect(generate().status).toBe(0)
  expect(readFileSync(join(tree, 'server/src/main/guest-of-key.ts'), 'utf8')).toContain("stranger: 'stranger'")
  const tests = ['server/test/walls', 'server/test/goldens/goldens', 'server/src/kernel/decide/dec']
  const ran = spawnSync(join(tree, 'node_modules/.bin/vitest'), ['run', ...tests], {
    cwd: tree,
    encoding: 'utf8',
    env: Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'))),
  })
  expect(ran.status === 0 ? '' : ran.stdout + ran.stderr).toBe('')
})

test('its types are those of everything else, in the server and in the console', () => {
  expect(tsc('server')).toBe('')
  expect(tsc('console')).toBe('')
}, 300_000)

test('its decider judges with its fact', () => {
  const blocked = sluice('call', 'desk__say', '{"text":"knock knock"}')
  expect(blocked.status).toBe(3)
  expect(blocked.stderr).toContain('nobody is at home today (rule stranger.knocks')
})

test('its channel announces a request', async () => {
  expect(sluice('call', 'desk__say', '{"text":"hello"}').status).toBe(2)
  await expect.poll(() => existsSync(notebook) && readFileSync(notebook, 'utf8')).toBe('desk__say pending\n')
})

test('its problem has the status and the words of its table', () => {
  const refused = sluice('greet', 'Scrooge')
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain(
    'this person does not want to be greeted [greeting.unwanted]\n  name: Scrooge\n  greet somebody else',
  )
})

test('its command sends a request to its route, which begins a run of its kind', async () => {
  const greeted = sluice('greet', 'Ana')
  expect(greeted).toMatchObject({ status: 0, stdout: expect.stringMatching(/^run_/) as string })
  const shown = () => sluice('--json', 'runs', 'show', greeted.stdout.trim()).stdout
  await expect.poll(shown).toContain('"kind":"greeting","status":"done"')
  expect(sluice('--help').stdout).toMatch(/greet <name> +greet somebody/)
})
