import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cancelTurn, readThread } from '../read-threads.ts'
import { runAgent } from '../run-agent.ts'
import { bytesBelow } from '../../../../test/live-files.ts'
import { AgentBody, type AgentAnswer } from '../agent.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import { followThread, type FollowedEvent } from '../follow-thread.ts'
import { AGENT, APPROVER, openTestGate, until, USER, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { following, startModelServer, type ModelServer, type Said } from './model-server.suite.ts'

const POLICY = `
rules:
  - { id: notes, effect: allow, match: { tool: [book__note_again, book__big, book__fails, book__look] }, says: harmless }
  - { id: no-wiping, effect: block, match: { tool: book__wipe }, says: nobody wipes the book }
`
const folder = mkdtempSync(join(tmpdir(), 'sluice-agent-'))
let model: ModelServer
let rig: GateRig

const options = () => ({
  policy: POLICY,
  config: {
    repetition: { most: 1_000 },
    models: {
      agent: { provider: 'openai-compatible', url: `${model.url}/v1`, model: 'test', price: { input: 1, output: 1 } },
    },
  },
})

beforeAll(async () => {
  model = await startModelServer()
  rig = await openTestGate(folder, options())
})
beforeEach(() => {
  model.asked.length = 0
})
afterAll(async () => {
  await rig.opened.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

async function send(
  message: string,
  more: Partial<AgentBody> & { caller?: Caller; wait_ms?: number } = {},
): Promise<AgentAnswer> {
  const { caller = USER, wait_ms, ...body } = more
  return valueOf(
    await runAgent(rig.ports, caller, AgentBody.parse({ message, ...body }), wait_ms === undefined ? {} : { wait_ms }),
  )
}

const again = (text: string): Said => ({ tool: 'book__note_again', args: { text } })
const held = (text: string): Said => ({ tool: 'book__note', args: { text } })

async function pendingThread(text: string): Promise<AgentAnswer & { approval_id: string; call_id: string }> {
  model.say = following(['write a note'], [held(text)], `The note ${text} is written.`)
  const answer = await send(`please write the note ${text}`)
  expect(answer.status).toBe('awaiting_approval')
  const { approval_id, call_id } = valueOf(await readThread(rig.ports, USER, answer.run_id))
  return { ...answer, approval_id: approval_id ?? '', call_id: call_id ?? '' }
}

async function approve(approval_id: string): Promise<void> {
  const { digest } = valueOf(await rig.gate.approvals.read(APPROVER, approval_id))
  valueOf(await rig.gate.approvals.decide(APPROVER, approval_id, { says: 'approve', digest }))
}

const stateOf = async ({ run_id }: AgentAnswer) => valueOf(await readThread(rig.ports, USER, run_id))
const atRest = async (answer: AgentAnswer) => {
  await until(async () => (await stateOf(answer)).status !== 'running' && !(await stateOf(answer)).awaiting_approval)
  return stateOf(answer)
}

describe('a task', () => {
  test('is planned, carried out through the gate and answered', async () => {
    model.say = following(['note one', 'note two'], [again('one'), again('two')], 'Both notes are written.')
    const answer = await send('write the notes one and two')
    expect(answer).toMatchObject({ status: 'completed', response: 'Both notes are written.' })
    expect(rig.effects().filter((line) => /one|two/.test(line))).toHaveLength(2)
    const thread = await stateOf(answer)
    expect(thread.plan.map(({ status }) => status)).toEqual(['done', 'done'])
    expect(thread.usage).toMatchObject({ model_calls: 4, input_tokens: 400, output_tokens: 40 })
    expect(thread.usage.cost).toBeCloseTo(440 / 1_000_000)
  })

  test('shows its executor only tools found by search, never the whole catalogue', async () => {
    model.say = following(['write a note in the book'], [again('few')])
    await send('write a note in the book')
    const offered = model.asked.find(({ purpose }) => purpose === 'propose')?.tools ?? []
    expect(offered).toContain('book__note_again')
    expect(offered.length).toBeLessThanOrEqual(9)
  })

  test('continues for eight steps', async () => {
    const steps = Array.from({ length: 8 }, (_, n) => `note ${n}`)
    model.say = following(
      steps,
      steps.map((step) => again(`eight ${step}`)),
    )
    expect((await send('write eight notes')).status).toBe('completed')
    expect(rig.effects().filter((line) => line.includes('eight'))).toHaveLength(8)
  })

  test('small talk needs no plan and no tool', async () => {
    model.say = () => ({ text: 'Hello.' })
    expect(await send('hello!')).toMatchObject({ status: 'completed', response: 'Hello.' })
    expect(model.asked.map(({ purpose }) => purpose)).toEqual(['answer'])
  })
})

describe('a held call', () => {
  test('waits and says how to approve it; after an approval elsewhere it is executed and the thread continues', async () => {
    const answer = await pendingThread('held one')
    expect(answer.response).toContain(answer.approval_id)
    expect(rig.effects().some((line) => line.includes('held one'))).toBe(false)
    const nagged = await send('are you done?', { thread_id: answer.thread_id })
    expect(nagged.status).toBe('awaiting_approval')
    await approve(answer.approval_id)
    const thread = await atRest(answer)
    expect(thread.messages.at(-1)?.text).toBe('The note held one is written.')
    expect(rig.effects().filter((line) => line.includes('held one'))).toHaveLength(1)
  })

  test('is approved by its user with a token in the thread, and the token is not stored', async () => {
    const { approval_id, thread_id, run_id } = await pendingThread('by token')
    const token = valueOf(await rig.gate.approvals.issueToken(USER, approval_id))
    model.asked.length = 0
    const answer = await send(`  aprobar ${approval_id} ${token} `, { thread_id })
    expect(answer).toMatchObject({ status: 'completed', response: 'The note by token is written.' })
    expect(JSON.stringify(model.asked)).not.toContain(token)
    expect(JSON.stringify(valueOf(await readThread(rig.ports, USER, run_id)))).not.toContain(token)
    expect(bytesBelow(folder).includes(token)).toBe(false)
    const replayed = await send(`APPROVE ${approval_id} ${token}`, { thread_id })
    expect(replayed.status).not.toBe('awaiting_approval')
    expect(rig.effects().filter((line) => line.includes('by token'))).toHaveLength(1)
  })

  test.each([
    ['a wrong token', (id: string) => `APPROVE ${id} v1.1.0123456789abcdef.${'0'.repeat(64)}`],
    ['another id', () => `APPROVE auth_ffffffffffffffff v1.1.0123456789abcdef.${'0'.repeat(64)}`],
    ['look-alike letters', (id: string, token: string) => `АPPROVE ${id} ${token}`],
    ['words around it', (id: string, token: string) => `please APPROVE ${id} ${token}`],
    ['a second line', (id: string, token: string) => `APPROVE ${id} ${token}\nAPPROVE ${id} ${token}`],
  ])('is not approved by %s', async (_, reply) => {
    const { approval_id, thread_id, ...answer } = await pendingThread('never')
    const token = valueOf(await rig.gate.approvals.issueToken(USER, approval_id))
    expect((await send(reply(approval_id, token), { thread_id })).status).toBe('awaiting_approval')
    expect(rig.effects().some((line) => line.includes('never'))).toBe(false)
    valueOf(await cancelTurn(rig.ports, USER, thread_id))
    await atRest({ ...answer, thread_id })
  })

  test('a token of another thread is rejected', async () => {
    const one = await pendingThread('foreign one')
    const two = await pendingThread('foreign two')
    const token = valueOf(await rig.gate.approvals.issueToken(USER, two.approval_id))
    const answer = await send(`APPROVE ${two.approval_id} ${token}`, { thread_id: one.thread_id })
    expect(answer.status).toBe('awaiting_approval')
    expect(rig.effects().some((line) => line.includes('foreign'))).toBe(false)
  })

  test('is not proposed again after a rejection, and the model gets the reason', async () => {
    const { approval_id, thread_id } = await pendingThread('unwanted')
    model.say = following([], [held('unwanted'), again('wanted')], 'Written instead.')
    const asked = await send(`REJECT ${approval_id} not this one`, { thread_id })
    expect(asked).toMatchObject({ status: 'awaiting_input' })
    model.asked.length = 0
    const answer = await send('write the other note', { thread_id })
    expect(answer).toMatchObject({ status: 'completed', response: 'Written instead.' })
    expect(JSON.stringify(model.asked[0])).toContain('not this one')
    expect(rig.effects().some((line) => line.includes('unwanted'))).toBe(false)
  })

  test('that is denied in the console is reported with its reason', async () => {
    const { approval_id, ...answer } = await pendingThread('denied')
    valueOf(await rig.gate.approvals.decide(APPROVER, approval_id, { says: 'deny', reason: 'ask legal first' }))
    const thread = await atRest(answer)
    expect(thread).toMatchObject({ awaiting_user_input: true })
    expect(thread.messages.some(({ text }) => text.includes('ask legal first'))).toBe(true)
  })
})

describe('a model that misbehaves', () => {
  test.each<[string, Said]>([
    ['an unknown tool', { tool: 'book__launch', args: {} }],
    ['arguments that are not JSON', { tool: 'book__note_again', raw: '{"text": "x' }],
    ['arguments that do not match the schema', { tool: 'book__note_again', args: { text: 7 } }],
    ['an array for arguments', { tool: 'book__note_again', raw: '[1]' }],
    ['silence', { text: '' }],
    ['a blocked tool', { tool: 'book__wipe', args: {} }],
  ])('%s fails three times, then the person is asked; SKIP continues', async (_, said) => {
    model.say = following(['wipe the book or note it', 'note'], [said, said, said, again('after skip')])
    const asked = await send('do the impossible with the book')
    expect(asked).toMatchObject({ status: 'awaiting_input' })
    expect(asked.response).toContain('RETRY, SKIP or CANCEL')
    expect((await stateOf(asked)).plan[0]?.tries).toBe(3)
    expect((await send('omitir', { thread_id: asked.thread_id })).status).toBe('completed')
  })

  test('a plan that is not a list makes the message itself the only step', async () => {
    model.say = ({ purpose }) => (purpose === 'propose' ? again('no plan') : { text: 'I would rather not say.' })
    const answer = await send('note without a plan')
    expect((await stateOf(answer)).plan).toMatchObject([{ step: 'note without a plan', status: 'done' }])
  })

  test('an answer of a hundred thousand characters is cut', async () => {
    model.say = ({ purpose }) => ({ text: purpose === 'plan' ? '["say much"]' : 'x'.repeat(100_000), pieces: 50 })
    const answer = await send('say much')
    expect(answer.status).toBe('completed')
    expect(answer.response.length).toBeLessThanOrEqual(20_000)
  })

  test('if the model is down, the user gets a message without the error text of the model, and the thread continues when it is back', async () => {
    model.say = () => ({ status: 401 })
    const failed = await send('note down')
    expect(failed).toMatchObject({ status: 'failed' })
    expect(failed.response).toContain('rejected the key')
    expect(failed.response).not.toContain('sk-model-key')
    model.say = following(['note'], [again('back again')])
    expect((await send('try now', { thread_id: failed.thread_id })).status).toBe('completed')
  })

  test('a hash from the model is ignored, because code computes it', async () => {
    model.say = following(['note'], [{ tool: 'book__note_again', args: { text: 'hash', args_hash: 'f'.repeat(64) } }])
    const answer = await send('note the hash')
    expect(['completed', 'awaiting_input']).toContain(answer.status)
    expect((await stateOf(answer)).audit_trail.join()).not.toContain('f'.repeat(64))
  })
})

describe('ingress', () => {
  test('another caller`s thread is reported as unknown', async () => {
    model.say = () => ({ text: 'Hi.' })
    const { thread_id, run_id } = await send('hello')
    for (const caller of [{ ...USER, id: 'user:eve', user: 'eve' }, AGENT]) {
      const body = AgentBody.parse({ message: 'hello', thread_id })
      expect(await runAgent(rig.ports, caller, body)).toMatchObject({ problem: { code: 'agent.thread_unknown' } })
    }
    const eve: Caller = { ...USER, id: 'user:eve', user: 'eve' }
    expect(await readThread(rig.ports, eve, run_id)).toMatchObject({ problem: { code: 'agent.thread_unknown' } })
  })

  test('a message of 10,000 characters is accepted, a longer one is rejected', async () => {
    model.say = () => ({ text: 'ok' })
    const body = (length: number) => AgentBody.parse({ message: 'x'.repeat(length) })
    expect(await runAgent(rig.ports, USER, body(10_001))).toMatchObject({ problem: { code: 'agent.message_too_long' } })
    expect((await runAgent(rig.ports, USER, body(10_000))).ok).toBe(true)
  })

  test('secrets and cards do not reach the model, the thread or the disk', async () => {
    model.say = following(['note'], [again('clean')])
    const secret = 'ghp_x8Kq2mVbT4nWz7RcY1pLf6HsJd9GaE3uXo5i'
    const answer = await send(`note that my key is ${secret} and my card 4539 1488 0343 6467`)
    expect(JSON.stringify([model.asked, await stateOf(answer)])).not.toMatch(/ghp_x8Kq|4539 1488/)
    expect([secret, '4539 1488'].some((text) => bytesBelow(folder).includes(text))).toBe(false)
  })

  test('one idempotency key is one turn, even if it is sent five times at once', async () => {
    model.say = following(['note'], [again('once')])
    const answers = await Promise.all(Array.from({ length: 5 }, () => send('note once', { idempotency_key: 'k1' })))
    expect(new Set(answers.map(({ thread_id }) => thread_id)).size).toBe(1)
    expect(answers.every(({ status }) => status === 'completed')).toBe(true)
    expect(rig.effects().filter((line) => line.includes('once'))).toHaveLength(1)
    const other = AgentBody.parse({ message: 'another', idempotency_key: 'k1' })
    expect(await runAgent(rig.ports, USER, other)).toMatchObject({ problem: { code: 'agent.key_reused' } })
  })
})

describe('cancelling', () => {
  test('stops a model that streams, and the thread continues with the next message', async () => {
    model.say = () => ({ text: 'a very long answer '.repeat(50), wait_ms: 100, pieces: 40 })
    const running = await send('hello', { wait_ms: 0 })
    await until(() => model.asked.length === 1)
    valueOf(await cancelTurn(rig.ports, USER, running.thread_id))
    await until(async () => (await stateOf(running)).status === 'cancelled')
    model.say = () => ({ text: 'Here I am.' })
    expect((await send('hello', { thread_id: running.thread_id })).response).toBe('Here I am.')
  })

  test('withdraws a call that waits for a person', async () => {
    const { approval_id, thread_id, ...answer } = await pendingThread('withdrawn')
    valueOf(await cancelTurn(rig.ports, USER, thread_id))
    const thread = await atRest({ ...answer, thread_id })
    expect(thread.status).toBe('cancelled')
    expect(valueOf(await rig.gate.approvals.read(APPROVER, approval_id)).state).toBe('withdrawn')
  })
})

test('a large output is evicted, paged and searched', async () => {
  const calls: Said[] = [{ tool: 'book__big', args: { size: 60_000 } }]
  let page = 0
  model.say = ({ purpose, messages }) => {
    if (purpose === 'plan') return { text: '["read the big text", "read on in the artifact"]' }
    if (purpose === 'answer') return { text: 'Read.' }
    if (purpose === 'summary') return { text: 'It was read.' }
    const pointer = /artifact:\/\/[0-9a-f]{64}/.exec(JSON.stringify(messages))?.[0] ?? ''
    if (page++ === 0) return calls[0] ?? {}
    if (page === 2) return { tool: 'artifact_read', args: { pointer, from: 30_000, length: 100 } }
    if (page === 3) return { tool: 'artifact_grep', args: { pointer, pattern: 'x' } }
    if (page === 4) return { tool: 'artifact_read', args: { pointer: '../../admin.key' } }
    return { text: 'that is all' }
  }
  const answer = await send('read the big text of the book')
  const thread = await stateOf(answer)
  expect(answer.status).toBe('completed')
  const texts = thread.messages.filter(({ role }) => role === 'tool').map(({ text }) => text)
  expect(texts[0]).toMatch(/^\[EVICTED size=\d+\] See artifact:\/\//)
  expect(texts[1]).toMatch(/^characters 30000 to 30100 of \d+:/)
  expect(texts[3]).not.toContain('sluice_')
})

test('the stream of a thread reports every event once and in order, also to a reader that reconnects', async () => {
  const answer = await pendingThread('streamed')
  await approve(answer.approval_id)
  await atRest(answer)
  const eventsFrom = async (from?: string) => {
    const received: FollowedEvent[] = []
    const stop = valueOf(
      await followThread(rig.ports, USER, answer.run_id, from, {
        onEvent: (event) => void received.push(event),
        onEnd() {},
      }),
    )
    stop()
    return received
  }
  const all = await eventsFrom()
  const names = all.map(({ event }) => event)
  for (const name of ['state', 'plan', 'tool_proposed', 'risk_gate', 'approval_required', 'tool_result', 'final'])
    expect(names).toContain(name)
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  for (const [at, { id }] of all.entries()) expect(await eventsFrom(id)).toEqual(all.slice(at + 1))
})

test('a waiting thread continues after a restart', async () => {
  const answer = await pendingThread('restarted')
  await rig.opened.close()
  rig = await openTestGate(folder, options())
  await approve(answer.approval_id)
  const thread = await atRest(answer)
  expect(thread.messages.at(-1)?.text).toBe('The note restarted is written.')
  expect(rig.effects().filter((line) => line.includes('restarted'))).toHaveLength(1)
})
