import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { following, startModelServer, type ModelServer } from '../../src/guests/agent/test/model-server.suite.ts'
import { bundleOf } from '../../src/guests/flows/test/flow-samples.suite.ts'
import { FORGED_LINES, HOSTILE_TEXTS, looksOurs } from '../hostile-texts.ts'
import { run, startGate, type RunningGate } from '../helpers/with-running-gate.ts'

const [{ text: forged } = { text: '' }] = FORGED_LINES

/** Every command that prints text of a tool server or an agent, with a server that puts hostile text wherever it can. */
let gate: RunningGate & { stop(): Promise<void> }
let model: ModelServer
beforeAll(async () => {
  model = await startModelServer()
  gate = await startGate((folder) => {
    const hostile = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../tool-servers/hostile-texts-server.ts')],
      tools: { change: { effects: ['read'] }, shout: { effects: ['read'] }, fail: { effects: ['read'] } },
    }
    const rules = [
      { id: 'r', effect: 'allow', match: { tool: ['hostile__change', 'hostile__shout', 'hostile__fail'] }, says: 's' },
    ]
    const agent = { provider: 'anthropic', url: `${model.url}/anthropic`, model: 'test', key: 'file:model.key' }
    const config = { listen: { port: 0 }, policy: { rules }, servers: { hostile }, models: { agent } }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
    writeFileSync(join(folder, 'model.key'), 'sk-ant-test-key\n')
    writeFileSync(join(folder, 'flow.json'), JSON.stringify(hostileFlow()))
    writeFileSync(join(folder, 'document.yaml'), hostileDocument())
  })
})
afterAll(async () => {
  await gate.stop()
  await model.close()
})

const all = HOSTILE_TEXTS.map(({ text }) => text).join(' ')
/** A model may say anything too. */
const sayHostile = () =>
  void (model.say = following(
    [all, ...FORGED_LINES.map(({ text }) => text)],
    [{ tool: 'hostile__tool_0', args: { [`field ${forged}`.slice(0, 100)]: all } }],
    all,
  ))

function hostileFlow(): unknown {
  const sketch = { job: all.slice(0, 400), description: all.slice(0, 400) }
  const bundle = bundleOf('hostile', [sketch, sketch])
  return JSON.parse(
    JSON.stringify(bundle).replace('"title":"hostile"', `"title":${JSON.stringify(forged.slice(0, 200))}`),
  )
}

const hostileDocument = () =>
  JSON.stringify({
    apiVersion: 'gosuto/v1',
    metadata: { name: 'clerk', description: all, [forged]: all },
    trust: { allowedRooms: [forged], allowedSenders: [all] },
    workflow: { protocols: [{ id: forged, trigger: { type: all }, steps: [{ id: all, type: forged }] }] },
  })

const SLICE: readonly (readonly string[])[] = [
  ['servers'],
  ['tools'],
  ['search', 'list', 'notes'],
  ['card', 'hostile__tool_0'],
  ['call', 'hostile__shout', '{}'],
  ['call', 'hostile__fail', '{}'],
  ['run', `list notes ${forged}`],
  ['status'],
  ['doctor'],
  ['calls'],
  ['audit', 'tail'],
]
/** With `npm run test:security`. */
const OTHERS: readonly (readonly string[])[] = [
  ['agent', 'send', forged],
  ['flow', 'import', 'flow.json'],
  ['flow', 'show', 'hostile'],
  ['workflow', 'validate', 'document.yaml'],
  ['search', forged],
  ...HOSTILE_TEXTS.map((_, at) => ['card', `hostile__tool_${at}`]),
  ['card', forged],
  ['call', forged, '{}'],
  ['call', 'hostile__tool_1', JSON.stringify({ [forged]: forged })],
  ['run', '--tool', 'hostile__shout', forged],
  ['status', forged],
  ['runs'],
  ['approvals'],
  ['admit', forged, forged],
  ['pause', `tool:${forged}`, '--reason', forged, '--yes'],
  ['pauses'],
  ['unpause'],
  ['keys', 'create', 'agent', forged],
  ['keys', 'list'],
  ['consent', 'list'],
  ['policy', 'show'],
  ['calls', forged],
  ['agent', 'threads'],
  ['flow', 'list'],
  ['flow', 'start', 'hostile'],
  ['flow', 'runs'],
  ['flow', 'show', forged],
  ['workflow', 'graph', 'document.yaml'],
  ['workflow', 'apply', 'document.yaml'],
  ['workflow', 'dry-run', 'document.yaml'],
  ['workflow', 'run', forged],
  ['why', forged],
  ['workflow', 'list', forged],
]
const IS_WHOLE = process.env['SLUICE_SECURITY'] === 'whole'
const COMMANDS = IS_WHOLE ? [...SLICE, ...OTHERS] : SLICE

test.each(COMMANDS.map((words) => [words.map((word) => JSON.stringify(word).slice(1, 40)).join(' '), words] as const))(
  '`sluice %s` prints no raw character and no line that looks like ours',
  async (_, words) => {
    sayHostile()
    const { out, err } = await gate.cli(...words)
    expect(`${out}${err}`.trim()).not.toBe('')
    expect(looksOurs(out)).toBeUndefined()
    expect(looksOurs(err)).toBeUndefined()
  },
)

test('a changed definition is shown before and after, in the list of tools and on its card', async () => {
  expect((await gate.cli('call', 'hostile__change', '{}')).code).toBe(0)
  await expect.poll(async () => (await gate.cli('tools', 'diff', 'hostile__tool_0')).out).toContain('changed')
  for (const words of [['tools', 'diff', 'hostile__tool_0'], ['call', 'hostile__tool_0', '{}'], ['approvals']]) {
    const { out, err } = await gate.cli(...words)
    expect(looksOurs(`${out}${err}`), words.join(' ')).toBeUndefined()
  }
})

test('the agent`s plan and answer cannot imitate a line of ours in a chat', async () => {
  sayHostile()
  const { out, err } = await run(gate.folder, ['agent', 'chat'], 'list my notes\n\n\n')
  expect(out).toContain('│ preview: nothing will be changed')
  expect(looksOurs(out)).toBeUndefined()
  expect(looksOurs(err)).toBeUndefined()
})

test('where a call came from is shown only on the gate`s own lines', async () => {
  const made = await gate.cli(
    '--json',
    'call',
    'hostile__tool_0',
    JSON.stringify({ [`field ${forged}`.slice(0, 100)]: all }),
    '--words',
    forged,
  )
  const { call_id } = JSON.parse(made.out) as { call_id: string }
  for (const words of [['why', call_id], ...(IS_WHOLE ? [['status', call_id], ['calls']] : [])]) {
    const { out, err } = await gate.cli(...words)
    expect(out, words.join(' ')).not.toBe('')
    // The source of each argument is shown, not only what the user asked for.
    if (words[0] === 'why') expect(out).toMatch(/KNOWN FROM[\s\S]*\/field/)
    expect(looksOurs(`${out}${err}`), words.join(' ')).toBeUndefined()
  }
})
