import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelTurn, readThread } from '../read-threads.ts'
import { runAgent } from '../run-agent.ts'
import { AgentBody } from '../agent.ts'
import { openTestGate, until, USER, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { following, startModelServer, type ModelServer, type Said } from './model-server.suite.ts'

const POLICY = `
rules:
  - { id: notes, effect: allow, match: { tool: [book__note_again, book__big, book__slow_note] }, says: harmless }
`
const folder = mkdtempSync(join(tmpdir(), 'sluice-agent-outputs-'))
let model: ModelServer
let rig: GateRig

beforeAll(async () => {
  model = await startModelServer()
  const agent = { provider: 'openai-compatible', url: `${model.url}/v1`, model: 'test' }
  const config = { repetition: { most: 1_000 }, models: { agent }, agent: { intent: 'model' } }
  rig = await openTestGate(folder, { policy: POLICY, config })
})
afterAll(async () => {
  await rig.opened.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

const send = async (message: string, wait_ms = 60_000) =>
  valueOf(await runAgent(rig.ports, USER, AgentBody.parse({ message }), { wait_ms }))
const threadOf = async (run_id: string) => valueOf(await readThread(rig.ports, USER, run_id))

/** A model that treats every message as a task and reads a text of this size. */
const reading = (size: number, next: readonly Said[] = []): ModelServer['say'] => {
  const say = following(['read the big text'], [{ tool: 'book__big', args: { size } }, ...next])
  return (asked) => (asked.purpose === 'intent' ? { text: 'task' } : say(asked))
}

test.each([
  { size: 10_000, evicted: false, rehydration_allowed: true },
  { size: 10_001, evicted: true, rehydration_allowed: true },
  { size: 50_000, evicted: true, rehydration_allowed: true },
  { size: 50_001, evicted: true, rehydration_allowed: false },
])('of $size characters: evicted is $evicted, inlining later $rehydration_allowed', async ({ size, ...rest }) => {
  model.say = reading(size)
  const { run_id } = await send('read the big text')
  const { last_tool_result } = await threadOf(run_id)
  expect(last_tool_result).toMatchObject({ status: 'success', size_chars: size, ...rest })
  if (rest.evicted) expect(last_tool_result?.summary).toBe('x'.repeat(500))
})

test('five megabytes are paged to their end and searched, and never shown whole to the model', async () => {
  const size = 5_000_000
  let asked = 0
  model.asked.length = 0
  model.say = ({ purpose, messages }) => {
    if (purpose === 'intent') return { text: 'task' }
    if (purpose === 'plan') return { text: '["read the big text", "read on"]' }
    if (purpose !== 'propose') return { text: 'Read.' }
    const pointer = /artifact:\/\/[0-9a-f]{64}/.exec(JSON.stringify(messages))?.[0] ?? ''
    asked += 1
    if (asked === 1) return { tool: 'book__big', args: { size } }
    if (asked === 2) return { tool: 'artifact_read', args: { pointer, from: size - 40, length: 40 } }
    if (asked === 3) return { tool: 'artifact_grep', args: { pointer, pattern: 'x' } }
    return { text: 'that is all' }
  }
  const { run_id, status } = await send('read the big text of the book')
  expect(status).toBe('completed')
  const texts = (await threadOf(run_id)).messages.filter(({ role }) => role === 'tool').map(({ text }) => text)
  expect(texts[0]).toContain(`[EVICTED size=${size}]`)
  expect(texts[1]).toContain(`characters ${size - 40} to ${size} of ${size}:\n${'x'.repeat(40)}`)
  expect(texts[2]).toMatch(/x/)
  const longest = Math.max(...model.asked.flatMap(({ messages }) => messages.map(({ text }) => text.length)))
  expect(longest).toBeLessThan(20_000)
})

test('cancelling a turn while a tool runs cancels the tool, reports its effect as unknown, and makes no more calls', async () => {
  const slow: Said = { tool: 'book__slow_note', args: { text: 'cancelled', ms: 1_500 } }
  const say = following(['write a slow note', 'note'], [slow, { tool: 'book__note_again', args: { text: 'too late' } }])
  model.say = (asked) => (asked.purpose === 'intent' ? { text: 'task' } : say(asked))
  const { thread_id, run_id } = await send('write a slow note and another', 0)
  await until(() => rig.effects().some((line) => line.includes('cancelled')))
  valueOf(await cancelTurn(rig.ports, USER, thread_id))
  await until(async () => (await threadOf(run_id)).status === 'cancelled')
  expect(rig.effects().filter((line) => line.includes('cancelled'))).toHaveLength(1)
  expect(rig.effects().some((line) => line.includes('too late'))).toBe(false)
  const { last_tool_result } = await threadOf(run_id)
  expect(last_tool_result?.output).toContain('[tool.cancelled]')
  const entries = await rig.gate.audit.page(undefined, 1, 1000)
  const slowOnes = entries.filter(
    ({ type, subject }) => type === 'call.unknown' && subject['tool'] === 'book__slow_note',
  )
  expect(slowOnes).toHaveLength(1)
})

test('a model that classifies messages is asked, and an invalid answer counts as a task', async () => {
  const intents: string[] = []
  const say = (intent: string): ModelServer['say'] => {
    const rest = following(['note'], [{ tool: 'book__note_again', args: { text: intent } }], 'Answered.')
    return (asked) => {
      if (asked.purpose !== 'intent') return rest(asked)
      intents.push(intent)
      return { text: intent }
    }
  }
  model.say = say('conversation')
  expect((await threadOf((await send('delete everything')).run_id)).plan).toEqual([])
  model.say = say('bananas')
  expect((await threadOf((await send('hello there')).run_id)).plan).toHaveLength(1)
  expect(intents).toEqual(['conversation', 'bananas'])
})
