import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readThread } from '../read-threads.ts'
import { runAgent } from '../run-agent.ts'
import { AgentBody } from '../agent.ts'
import { APPROVER, openTestGate, until, USER, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { bytesBelow } from '../../../../test/live-files.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { following, startModelServer, type ModelServer } from './model-server.suite.ts'

const POLICY = `
rules:
  - { id: notes, effect: allow, match: { tool: [book__note_again, book__big, book__echo] }, says: harmless }
`
const folder = mkdtempSync(join(tmpdir(), 'sluice-volatile-'))
const effects = mkdtempSync(join(tmpdir(), 'sluice-volatile-effects-'))
let model: ModelServer
let rig: GateRig

const options = () => ({
  policy: POLICY,
  // Files that the tool server writes are not counted.
  server: { env: { EFFECTS: join(effects, 'effects.txt') } },
  config: { models: { agent: { provider: 'openai-compatible', url: `${model.url}/v1`, model: 'test' } } },
})

beforeAll(async () => {
  model = await startModelServer()
  rig = await openTestGate(folder, options())
})
afterAll(async () => {
  await rig.opened.close()
  await model.close()
  for (const place of [folder, effects]) rmSync(place, { recursive: true, force: true })
})

const send = async (message: string, more: Partial<AgentBody> = {}) =>
  valueOf(await runAgent(rig.ports, USER, AgentBody.parse({ message, ...more })))

/** Every byte that the gate has written. */
const onDisk = () => bytesBelow(folder)

const WORDS = /zebra|giraffe|walrus|pelican/

test('no message or call of an unstored thread reaches the disk', async () => {
  model.say = following(
    ['note the zebra', 'say it back'],
    [
      { tool: 'book__note_again', args: { text: 'a giraffe' } },
      { tool: 'book__echo', args: { text: 'walrus '.repeat(3_000) } },
    ],
    'The pelican is done.',
  )
  const answer = await send('please note the zebra', { do_not_store: true })
  expect(answer).toMatchObject({ status: 'completed', response: 'The pelican is done.' })
  const thread = valueOf(await readThread(rig.ports, USER, answer.run_id))
  expect(thread.do_not_store).toBe(true)
  expect(JSON.stringify(thread.messages)).toMatch(WORDS)
  expect(onDisk()).not.toMatch(WORDS)
})

test('a held call of such a thread shows its approver everything, runs once, and leaves no text', async () => {
  model.say = following(['note'], [{ tool: 'book__note', args: { text: 'the zebra asks' } }], 'A walrus answers.')
  const answer = await send('note what the giraffe asks', { do_not_store: true })
  expect(answer.status).toBe('awaiting_approval')
  const { approval_id } = valueOf(await readThread(rig.ports, USER, answer.run_id))
  const packet = valueOf(await rig.gate.approvals.read(APPROVER, approval_id ?? ''))
  expect(packet.proposed_args).toContain('zebra')
  valueOf(await rig.gate.approvals.decide(APPROVER, approval_id ?? '', { says: 'approve', digest: packet.digest }))
  await until(async () => valueOf(await readThread(rig.ports, USER, answer.run_id)).status === 'completed')
  expect(onDisk()).not.toMatch(WORDS)
})

test('an ordinary thread beside it is stored', async () => {
  model.say = () => ({ text: 'A stored answer.' })
  await send('hello')
  expect(onDisk()).toContain('A stored answer.')
})

test('a restart ends such threads and withdraws what they wait for', async () => {
  model.say = following(['note'], [{ tool: 'book__note', args: { text: 'zebra again' } }])
  const answer = await send('note it again', { do_not_store: true })
  const { approval_id } = valueOf(await readThread(rig.ports, USER, answer.run_id))
  await rig.opened.close()
  expect(onDisk()).not.toMatch(WORDS)
  rig = await openTestGate(folder, options())
  expect(valueOf(await rig.gate.approvals.read(APPROVER, approval_id ?? '')).state).toBe('withdrawn')
  const body = AgentBody.parse({ message: 'hello', thread_id: answer.thread_id })
  expect((await runAgent(rig.ports, USER, body)).ok).toBe(false)
  const run = valueOf(await rig.gate.runs.read(USER, answer.run_id, { limit: 1 }))
  expect(run.status).toBe('cancelled')
})
