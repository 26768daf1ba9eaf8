import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { SECRETS_KEY } from '../../../kernel/contract/call-secrets.ts'
import type { IncomingMessage } from '../../../kernel/ports/transports.ts'
import { following, startModelServer, type ModelServer, type Said } from '../../agent/test/model-server.suite.ts'
import { APPROVER, approveShown, until } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { clerk } from './clerk.suite.ts'
import { openWorkflows, type WorkflowRig } from './with-workflows.suite.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
process.env['TOKEN_OF_THE_DESK'] = 'not-a-real-token-of-the-desk'
const folder = mkdtempSync(join(tmpdir(), 'sluice-turns-'))
let model: ModelServer
let rig: WorkflowRig

const HEAD = 'persona: You are a quiet clerk.\ninstructions: Write everything into the book.'
const STEPS = '- { type: tool, tool: book__note_again, argsTemplate: { text: "never" } }'
const document = (more: { head?: string; messaging?: string } = {}) =>
  clerk(STEPS, { ...more, head: `${HEAD}\n${more.head ?? ''}` })

beforeAll(async () => {
  model = await startModelServer()
  rig = await openWorkflows(folder, {
    config: {
      models: { agent: { provider: 'openai-compatible', url: `${model.url}/v1`, model: 'test' } },
      channels: {
        matrix: [
          {
            name: 'desk',
            homeserver: 'http://127.0.0.1:9',
            user: '@gate:test',
            token: 'env:TOKEN_OF_THE_DESK',
            room: '!approvers:test',
            people: { '@boss:test': { approver: 'boss' } },
          },
        ],
      },
    },
  })
  await rig.apply(document())
})
beforeEach(() => {
  model.asked.length = 0
})
afterAll(async () => {
  await rig.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Each person has their own thread. */
const MAPPED = '@boss:test'
const turn = async (text: string, more: Partial<IncomingMessage> = {}) => {
  const taken = await rig.transport.say({
    agent: 'clerk',
    room: '!office:test',
    sender: MAPPED,
    directed: true,
    text,
    ...more,
  })
  return taken === 'later' ? undefined : taken[0]
}
const answers = () => rig.transport.sent.map(({ text }) => text)
const answered = async (part: string) => {
  await until(() => answers().some((text) => text.includes(part)))
  return answers().filter((text) => text.includes(part))
}
const again = (text: string): Said => ({ tool: 'book__note_again', args: { text } })
const held = (text: string): Said => ({ tool: 'book__note', args: { text } })
const effects = (text: string) => rig.effects().filter((line) => line.includes(text))
const audit = () => rig.gate.audit.page(undefined, 1, 100_000)

describe('what a person says to the agent of a document', () => {
  test('is carried out by a thread, with the tools of the document, and with its prompt after that of the gate', async () => {
    model.say = following(['write it down'], [again('milk one')], 'I wrote down milk one.')
    const taken = await turn('please write the note milk one', { id: 'first' })
    expect(taken).toMatchObject({ is: 'turn', document: 'clerk', run_id: expect.stringMatching(/^run_/) })
    expect(await answered('I wrote down milk one.')).toHaveLength(1)
    expect(rig.transport.sent.at(-1)).toMatchObject({ agent: 'clerk', room: '!office:test' })
    expect(effects('milk one')).toHaveLength(1)
    for (const { system, tools, purpose } of model.asked) {
      const [gate, instructions, persona] = ['You', 'Write everything into the book.', 'You are a quiet clerk.'].map(
        (part) => system.indexOf(part),
      )
      expect(gate).toBe(0)
      expect(instructions).toBeGreaterThan(0)
      expect(persona).toBeGreaterThan(instructions ?? 0)
      if (purpose !== 'propose') continue
      expect(tools).toContain('book__note_again')
      expect(tools).not.toContain('book__wipe')
      expect(tools).not.toContain('messages__send_message')
    }
  })

  test('starts nothing twice, however often it is delivered', async () => {
    model.say = following(['write it down'], [again('race'), again('race')], 'The race is written.')
    const all = await Promise.all(Array.from({ length: 20 }, () => turn('please write the note race', { id: 'race' })))
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1)
    await answered('The race is written.')
    expect(await turn('please write the note milk one', { id: 'first' })).toMatchObject({ is: 'turn' })
    model.say = () => ({ text: 'Nothing else happened.' })
    await turn('hello', { id: 'after the race' })
    await answered('Nothing else happened.')
    expect(effects('race')).toHaveLength(1)
    expect(effects('milk one')).toHaveLength(1)
    expect(answers().filter((text) => text.includes('The race is written.'))).toHaveLength(1)
  })

  test('continues the thread of the same person, and no other', async () => {
    model.say = () => ({ text: 'Good evening to both.' })
    const [first, second, other] = [
      await turn('hello', { id: 'same 1' }),
      await turn('thank you', { id: 'same 2' }),
      await turn('thanks', { id: 'same 3', sender: '@carl:test' }),
    ]
    expect(second).toEqual(first)
    expect(other).not.toEqual(first)
    await until(() => answers().filter((text) => text.includes('Good evening to both.')).length === 3)
    const last = model.asked.find(({ messages }) => messages.some(({ text }) => text.includes('thanks')))
    expect(JSON.stringify(last?.messages)).not.toContain('milk one')
    const own = model.asked.find(({ messages }) => messages.some(({ text }) => text.includes('thank you')))
    expect(JSON.stringify(own?.messages)).toContain('milk one')
  })

  test('from an unverified person does not authorise calls: they are held', async () => {
    model.say = following(['write it down'], [again('note of eve')], 'done for eve')
    await turn('please write the note: note of eve', { id: 'eve', sender: '@eve:test' })
    await answered('is waiting for approval')
    const { items } = await rig.gate.approvals.list(APPROVER, 'pending', { limit: 100 })
    const packet = items.find(({ proposed_args }) => proposed_args.includes('note of eve'))
    expect(packet?.risk_notes.map(({ decider }) => decider)).toContain('provenance')
    expect(packet?.by_run).toMatchObject({ kind: 'agent' })
    expect(effects('note of eve')).toEqual([])
  })

  test('waits for approval if the document requires one, and continues afterwards', async () => {
    const before = answers().length
    model.say = following(['write it down'], [held('asked note')], 'The asked note is written.')
    await turn('please write the note: asked note', { id: 'held' })
    await until(() => answers().length > before)
    const said = answers().at(-1) ?? ''
    expect(said).toContain('is waiting for approval')
    expect(said).not.toContain('<token>')
    const approval_id = /auth_[0-9a-f]+/.exec(said)?.[0] ?? ''
    // A reply with a token is not for this room, and no model reads it.
    await turn(`APPROVE ${approval_id} secret.token.of.a.person`, { id: 'reply' })
    expect(await answered('Your reply did not count')).toHaveLength(1)
    expect(effects('asked note')).toEqual([])
    valueOf(await approveShown(rig.gate, APPROVER, approval_id))
    expect(await answered('The asked note is written.')).toHaveLength(1)
    expect(effects('asked note').filter((line) => !line.includes('dry_run'))).toHaveLength(1)
    expect(JSON.stringify(model.asked)).not.toContain('secret.token.of.a.person')
  })

  test('cannot make the agent use what its document does not allow, nor reveal its secrets', async () => {
    const wipe = { tool: 'book__wipe', args: { text: 'all' } }
    const secret = { tool: 'book__note_again', args: { text: 'x', [SECRETS_KEY]: { '/text': 'bearer' } } }
    const send = { tool: 'messages__send_message', args: { agent: 'clerk', room: '!office:test', text: 'forged' } }
    model.say = following(['do it'], [wipe, secret, send], 'never')
    await turn('please wipe the book', { id: 'wipe' })
    await answered('Answer RETRY, SKIP or CANCEL')
    expect(effects('wipe')).toEqual([])
    expect(effects('"x"')).toEqual([])
    expect(answers()).not.toContain('forged')
    const prompts = JSON.stringify(model.asked)
    expect(prompts).toContain('not one of those you were offered')
    expect(prompts).toContain('must not name secrets')
    model.say = () => ({ text: 'ok' })
    await turn('CANCEL', { id: 'cancel' })
    await answered('Cancelled.')
  })

  test('is judged by the capabilities at every call, by the version in force when the thread began', async () => {
    const narrow = 'tool: "*", allow: true, constraints: { text: { prefix: "ok " } } }'
    await rig.apply(document().replace('tool: "*", allow: true }', narrow))
    model.say = following(['write it'], [again('not fine'), again('ok fine')], 'Only one was written.')
    await turn('please write the notes "not fine" and "ok fine"', { id: 'narrow' })
    await answered('Only one was written.')
    expect(effects('not fine')).toEqual([])
    expect(effects('ok fine')).toHaveLength(1)
    expect(JSON.stringify(model.asked)).not.toContain('milk one')
    await rig.apply(document())
  })
})

describe('the limits of the document', () => {
  test('reject a turn over maxConcurrentRequests, record that, and free the slot with the answer', async () => {
    await rig.apply(document({ head: 'limits: { maxConcurrentRequests: 1 }' }))
    let go: () => void = () => {}
    const wait = new Promise<void>((done) => (go = done))
    model.say = async () => {
      await wait
      return { text: 'The place is free.' }
    }
    expect(await turn('hello', { id: 'place 1' })).toMatchObject({ is: 'turn' })
    const over = await turn('hello', { id: 'place 2', sender: '@carl:test' })
    expect(over).toMatchObject({ is: 'refused', code: 'limit_exceeded' })
    expect(over).toMatchObject({ says: 'a limit of the document is reached: maxConcurrentRequests' })
    // Known already: no new request.
    expect(await turn('hello', { id: 'place 1' })).toMatchObject({ is: 'turn' })
    const entry = (await audit()).findLast(({ type }) => type === 'workflow.refused')
    expect(entry).toMatchObject({ outcome: 'limit_exceeded', about: { sender: '@carl:test' } })
    go()
    await answered('The place is free.')
    let n = 2
    await until(async () => (await turn('hello', { id: `place ${(n += 1)}` }))?.is === 'turn')
    await until(() => answers().filter((text) => text === 'The place is free.').length === 2)
  })

  test('end a turn whose request to a model is too large', async () => {
    await rig.apply(document({ head: 'limits: { maxTokensPerRequest: 5 }' }))
    model.say = () => ({ text: 'never said' })
    await turn('hello', { id: 'tokens' })
    await answered('a limit of the document is reached: maxTokensPerRequest')
    expect(answers()).not.toContain('never said')
  })

  test('reject a message that is too long, and record that', async () => {
    await rig.apply(document())
    expect(await turn('x'.repeat(10_001), { id: 'long' })).toMatchObject({ is: 'refused', code: 'limit_exceeded' })
    expect((await audit()).findLast(({ type }) => type === 'workflow.refused')).toMatchObject({
      outcome: 'limit_exceeded',
    })
  })
})

test('an answer to a room that is not a target of the document is blocked, and that is recorded', async () => {
  await rig.apply(document().replace('roomId: "!office:test", alias: boss', 'roomId: "!other:test", alias: boss'))
  model.say = () => ({ text: 'An answer for nobody.' })
  await turn('hello', { id: 'no target' })
  await until(async () =>
    (await audit()).some(({ verdict }) => JSON.stringify(verdict ?? '').includes('messaging.target')),
  )
  expect(answers()).not.toContain('An answer for nobody.')
})
