import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FORGED_LINES, HOSTILE_TEXTS, looksOurs } from '../hostile-texts.ts'
import { startGate, type RunningGate } from './with-running-gate.ts'

/** Every command that prints words of a tool server or of an agent, over a server that puts hostile texts wherever it can. */
let gate: RunningGate & { stop(): Promise<void> }
beforeAll(async () => {
  gate = await startGate((folder) => {
    const hostile = {
      command: 'node',
      args: [resolve(import.meta.dirname, '../tool-servers/hostile-texts-server.ts')],
      tools: { change: { effects: ['read'] }, shout: { effects: ['read'] }, fail: { effects: ['read'] } },
    }
    const rules = [
      { id: 'r', effect: 'allow', match: { tool: ['hostile__change', 'hostile__shout', 'hostile__fail'] }, says: 's' },
    ]
    const config = { listen: { port: 0 }, policy: { rules }, servers: { hostile } }
    writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify(config))
  })
})
afterAll(() => gate.stop())

const [{ text: forged } = { text: '' }] = FORGED_LINES
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
]
/** With `npm run test:security`. */
const OTHERS: readonly (readonly string[])[] = [
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
  ['audit', 'tail'],
]
const COMMANDS = process.env['SLUICE_SECURITY'] === 'whole' ? [...SLICE, ...OTHERS] : SLICE

test.each(COMMANDS.map((words) => [words.map((word) => JSON.stringify(word).slice(1, 40)).join(' '), words] as const))(
  '`sluice %s` prints no raw character and no line that looks like ours',
  async (_, words) => {
    const { out, err } = await gate.cli(...words)
    expect(`${out}${err}`.trim()).not.toBe('')
    expect(looksOurs(out)).toBeUndefined()
    expect(looksOurs(err)).toBeUndefined()
  },
)

test('a changed definition is shown before and after, in the list of tools and on its card', async () => {
  expect((await gate.cli('call', 'hostile__change', '{}')).code).toBe(0)
  const diff = () => gate.cli('tools', 'diff', 'hostile__tool_0')
  let shown = await diff()
  for (let tries = 0; tries < 20 && !shown.out.includes('changed'); tries += 1) shown = await diff()
  expect(shown.out).toContain('changed')
  for (const words of [['tools', 'diff', 'hostile__tool_0'], ['call', 'hostile__tool_0', '{}'], ['approvals']]) {
    const { out, err } = await gate.cli(...words)
    expect(looksOurs(`${out}${err}`), words.join(' ')).toBeUndefined()
  }
})
