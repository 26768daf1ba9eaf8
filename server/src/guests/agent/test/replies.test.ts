import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readThread } from '../read-threads.ts'
import { runAgent } from '../run-agent.ts'
import { bytesBelow } from '../../../../test/live-files.ts'
import { openSenderLimits } from '../../chat/sender-limits.ts'
import { takeChat } from '../../chat/take-chat.ts'
import { AgentBody, type AgentAnswer } from '../agent.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import type { ChatEvent, ChatRoom } from '../../../kernel/ports/chat.ts'
import { LAUNCHER } from '../../../../test/built/built.ts'
import { configure, runGate } from '../../../../test/helpers/with-running-gate.ts'
import { APPROVER, openTestGate, SECOND, USER, type GateRig } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { following, startModelServer, type ModelServer } from './model-server.suite.ts'

/** Replies to approvals in every state of a thread, in every form: a token decides in its own thread, and is stored and sent nowhere. */
const EVE: Caller = { kind: 'user', id: 'user:eve', user: 'eve' }
const folder = mkdtempSync(join(tmpdir(), 'sluice-replies-'))
let model: ModelServer
let rig: GateRig
const models = () => ({ agent: { provider: 'openai-compatible', url: `${model.url}/v1`, model: 'test' } })

beforeAll(async () => {
  model = await startModelServer()
  rig = await openTestGate(folder, { config: { repetition: { most: 1_000 }, models: models() } })
})
beforeEach(() => {
  model.asked.length = 0
})
afterAll(async () => {
  await rig.opened.close()
  await model.close()
  rmSync(folder, { recursive: true, force: true })
})

const send = async (message: string, thread_id?: string, caller = USER): Promise<AgentAnswer> =>
  valueOf(
    await runAgent(rig.ports, caller, AgentBody.parse({ message, ...(thread_id === undefined ? {} : { thread_id }) })),
  )

async function heldThread(text: string, tool = 'book__note') {
  model.say = following(['write a note'], [{ tool, args: { text } }], `The note ${text} is written.`)
  const answer = await send(`please write the note ${text}`)
  const { approval_id } = valueOf(await readThread(rig.ports, USER, answer.run_id))
  return { ...answer, approval_id: approval_id ?? '' }
}

const fullWidth = (text: string) =>
  text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)).replaceAll(' ', '\u3000')

/** Each form is one or more messages. The strict one comes last: in the wrong thread it decides nothing either. */
const FORMS: readonly [string, (id: string, token: string) => readonly string[]][] = [
  ['lower case with words after it', (id, token) => [`approve ${id} ${token} and thank you`]],
  ['words before it', (id, token) => [`please APPROVE ${id} ${token}`]],
  ['full-width letters', (id, token) => [fullWidth(`APPROVE ${id} ${token}`)]],
  ['a full-width token', (id, token) => [`APPROVE ${id} ${fullWidth(token)}`]],
  ['zero-width characters', (id, token) => [`APPROVE ${id} ${token.replace(/.{7}/g, '$&\u200b')}`]],
  ['a zero-width character in the verb', (id, token) => [`APP\u2060ROVE ${id} ${token}`]],
  ['line breaks', (id, token) => [`APPROVE\n${id}\n\n${token}\nplease`]],
  ['a line break in the token', (id, token) => [`APPROVE ${id} ${token.slice(0, 40)}\n${token.slice(40)}`]],
  ['two messages', (id, token) => [`APPROVE ${id}`, token]],
  [
    'a token cut in two messages',
    (id, token) => [`APPROVE ${id} ${token.slice(0, 50)}`, `APPROVE ${id} ${token.slice(50)}`],
  ],
  ['a token of which one character is missing', (id, token) => [`approve ${id} ${token.slice(0, -1)} now`]],
  ['look-alike letters', (id, token) => [`АPPROVE ${id} ${token}`]],
  ['the token alone', (_, token) => [token]],
  ['the strict form', (id, token) => [`aprobar ${id} ${token}`]],
]

describe('a reply where nothing waits for it', () => {
  const states: [string, () => Promise<{ thread_id?: string; caller?: Caller }>][] = [
    ['a new thread', async () => ({})],
    ['a new thread of another user', async () => ({ caller: EVE })],
    [
      'a thread that ended its turn',
      async () => {
        model.say = () => ({ text: 'Hello.' })
        return { thread_id: (await send('hello')).thread_id }
      },
    ],
    [
      'a thread that asks its user',
      async () => {
        const { thread_id, approval_id } = await heldThread('asks')
        expect((await send(`REJECT ${approval_id} no`, thread_id)).status).toBe('awaiting_input')
        return { thread_id }
      },
    ],
    ['a thread that waits for something else', async () => ({ thread_id: (await heldThread('else')).thread_id })],
  ]

  test.each(states)('in %s: is no task, and its token is neither stored nor sent', async (_, begin) => {
    const held = await heldThread('elsewhere')
    const token = valueOf(await rig.gate.approvals.issueToken(USER, held.approval_id))
    const { thread_id, caller = USER } = await begin()
    const written = () => rig.effects().filter((line) => line.includes('elsewhere')).length
    const before = written()
    model.asked.length = 0
    for (const [form, messages] of FORMS)
      for (const message of messages(held.approval_id, token)) {
        const answer = await send(message, thread_id, caller)
        expect([form, answer.response]).toEqual([form, expect.stringContaining('Your reply did not count')])
        const shown = JSON.stringify([answer, valueOf(await readThread(rig.ports, caller, answer.run_id))])
        expect([form, holds(shown, token)]).toEqual([form, false])
      }
    expect(model.asked).toEqual([])
    expect(holds(bytesBelow(folder), token)).toBe(false)
    // It is still what it was: it decides in its own thread.
    const decided = await send(`APPROVE ${held.approval_id} ${token}`, held.thread_id)
    expect([decided.status, written() - before]).toEqual(['completed', 1])
  })

  /** Whole, or most of its signature. */
  const holds = (text: string, token: string) =>
    text.includes(token.slice(-60, -10)) || text.includes(token.slice(50, 80))

  test('is answered with what it is', async () => {
    const one = await heldThread('what one')
    const two = await heldThread('what two')
    const token = valueOf(await rig.gate.approvals.issueToken(USER, one.approval_id))
    const says = async (message: string, thread_id?: string, caller = USER) =>
      (await send(message, thread_id, caller)).response
    expect(await says(`APPROVE ${one.approval_id} ${token}`, two.thread_id)).toContain('belongs to another session')
    expect(await says(`REJECT ${one.approval_id}`, two.thread_id)).toContain('belongs to another session')
    expect(await says(`APPROVE ${one.approval_id} ${token}`, undefined, EVE)).toMatch(/another session|no approval/)
    expect(await says(`REJECT ${one.approval_id}`, undefined, EVE)).toContain('no approval has this id')
    expect(await says(`REJECT ${one.approval_id}, because`)).toContain('not exactly')
    expect((await send(`APPROVE ${one.approval_id} ${token}`, one.thread_id)).status).toBe('completed')
    expect(await says(`APPROVE ${one.approval_id} ${token}`, one.thread_id)).toContain('already used')
    expect(await says(`REJECT ${one.approval_id}`, one.thread_id)).toContain('already decided')
    const refused = (await rig.gate.audit.page(undefined, 1, 1_000)).filter(({ type }) => type === 'token.refused')
    expect(refused.length).toBeGreaterThan(2)
  })

  test.each([
    'approve the invoice of May',
    'please reject auth failures in the log',
    'what does APPROVE mean?',
    'upgrade to v1.10.2 and v1.1794765190',
  ])('does not swallow %j', async (message) => {
    model.say = () => ({ text: 'Yes.' })
    await send(message)
    expect(model.asked.length).toBeGreaterThan(0)
  })
})

test('where no token can decide, the answer gives the address and no form with a token', async () => {
  const strong = await heldThread('strong', 'book__slow_note')
  expect(strong.response).toContain(`http://gate.test`)
  expect(strong.response).toContain(`REJECT ${strong.approval_id}`)
  expect(strong.response).not.toMatch(/token|APPROVE|APROBAR/)
  expect((await heldThread('simple')).response).toMatch(/APPROVE auth_\w+ <token>/)
})

test('a room of approvers is not the session of a token: there it decides nothing, whatever its people may decide', async () => {
  const tokens = await openTestGate(join(folder, 'room'), { config: { approvals: { tokens: 'strong' } } })
  try {
    const ana: Caller = { kind: 'approver', id: 'approver:ana', user: 'ana' }
    const held = await tokens.call('book__slow_note', { text: 'from the room' })
    const id = held.status === 'pending' ? held.approval_id : ''
    const token = valueOf(await tokens.gate.approvals.issueToken(USER, id))
    const room = {
      name: 'ops',
      people: new Map([['@ana', ana]]),
      promptFor: async () => undefined,
    } as unknown as ChatRoom
    const event: ChatEvent = {
      event_id: 'e1',
      sender: '@ana',
      at: Date.now(),
      is: 'text',
      text: `APPROVE ${id} ${token}`,
    }
    const answer = await takeChat({ ...tokens.ports, limits: openSenderLimits() }, room, event)
    expect(answer).toContain('belongs to another session')
    expect(valueOf(await tokens.gate.approvals.read(SECOND, id)).state).toBe('pending')
    for (const [form, messages] of FORMS.slice(0, -1))
      for (const [at, text] of messages(id, token).entries()) {
        const said = await takeChat({ ...tokens.ports, limits: openSenderLimits() }, room, {
          ...event,
          event_id: `${form} ${at}`,
          text,
        })
        expect([form, said ?? '']).not.toEqual([form, expect.stringContaining(token.slice(20))])
      }
    expect(valueOf(await tokens.gate.approvals.read(APPROVER, id)).state).toBe('pending')
    expect(tokens.effects()).toEqual([])
    expect(bytesBelow(join(folder, 'room')).includes(token)).toBe(false)
  } finally {
    await tokens.opened.close()
  }
})

test('the token of development is in the answer of `/agent/run` alone', async () => {
  const place = mkdtempSync(join(tmpdir(), 'sluice-dev-'))
  configure(place)
  const file = join(place, 'sluice.yaml')
  const config = JSON.parse(readFileSync(file, 'utf8')) as object
  writeFileSync(file, JSON.stringify({ ...config, models: models() }))
  const gate = await runGate(place, ['up', '--trust'], LAUNCHER, { ENV: 'dev' })
  try {
    const user = await gate.key('user', 'ana')
    model.say = following(['note'], [{ tool: 'book__note', args: { text: 'dev' } }], 'Written.')
    const { body } = await gate.http('POST', '/agent/run', user, { message: 'please write a note' })
    const token = /APROBAR auth_\w+ (v1\.\S+)/.exec(String(body['response']))?.[1] ?? 'none'
    expect(token).toMatch(/^v1\./)
    // Whoever can approve with it reads what it approves.
    expect(body['response']).toContain('Arguments: {"text":"dev"}')
    const { thread_id } = body
    const seen = [
      await gate.http('POST', '/chat', user, { message: 'are you done?', thread_id }),
      await gate.http('GET', `/agent/runs/${String(body['run_id'])}`, user),
      await gate.http('GET', `/agent/threads/${String(thread_id)}`, user),
      await gate.http('GET', '/v1/approvals', user),
    ]
    expect(JSON.stringify(seen)).not.toMatch(/v1\.\d{9,11}\.[0-9a-f]{16}\.|AUTH REQUIRED/)
    expect(bytesBelow(place).includes(token)).toBe(false)
    const agent = await gate.key('agent', 'a', 'ana')
    model.say = following(['note'], [{ tool: 'book__note', args: { text: 'dev' } }], 'Written.')
    const asked = await gate.http('POST', '/agent/run', agent, { message: 'please write a note' })
    expect([asked.body['status'], asked.body['response']]).toEqual([
      'awaiting_approval',
      expect.not.stringContaining('AUTH'),
    ])
  } finally {
    await gate.stop()
  }
})
