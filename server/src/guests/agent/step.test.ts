import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { EDGES } from './graph.ts'
import { failedResult } from './moves.ts'
import { CALL, APPROVAL, SUCCESS, SEEN_TRANSITIONS, Play, allowed, blocked, held1, reply } from './play.suite.ts'
import type { WaitingMessage } from './state.ts'
import type { AgentFound } from './step.ts'

describe('a thread', () => {
  test("plans, calls each step's tool once and answers", () => {
    const play = new Play().say('do both').plan('one', 'two')
    play.propose('a').done(allowed, 'agent_call').propose('b').done(allowed, 'agent_call')
    play.done({ text: 'both done' }, 'agent_answer')
    expect(play.last).toMatchObject({ turn_id: 'do both', status: 'completed', response: 'both done' })
    expect(play.state).toMatchObject({ node: 'END', step_status: ['done', 'done'], tries: [1, 1] })
  })

  test('talks without a plan if nothing has to be done', () => {
    const play = new Play().say('hi', { intent: 'conversation' }).done({ text: 'hello' }, 'agent_answer')
    expect(play.last).toMatchObject({ status: 'completed', response: 'hello' })
  })

  test('lets a model classify the message, if configured', () => {
    const play = new Play({ intent: 'model' }).say('hm', { intent: null })
    play.done({ intent: 'conversation' }, 'agent_intent').done({ text: 'yes' }, 'agent_answer')
    expect(play.last?.status).toBe('completed')
    const unsure = new Play({ intent: 'model' }).say('hm', { intent: null }).done({}, 'agent_intent')
    expect(unsure.state.node).toBe('Planner')
  })

  test('parks a held call, and answers everything else by saying what is waiting', () => {
    const play = held1()
    expect(play.last).toMatchObject({ status: 'awaiting_approval' })
    expect(play.last?.response).toContain(APPROVAL)
    expect(play.effects).toEqual([])
    play.say('please hurry')
    expect(play.effects).toEqual([])
    expect(play.last).toMatchObject({ turn_id: 'please hurry', status: 'awaiting_approval' })
    expect(play.state.proposed_tool).not.toBeNull()
  })

  test('continues after an approval by reply, once the call has ended', () => {
    const play = held1().say('APPROVE', reply('approved'))
    expect(play.state).toMatchObject({ node: 'Tools', awaiting_approval: false })
    expect(play.effects).toEqual([])
    play.receive({ type: 'call.ended', call_id: CALL, state: 'executed' })
    play.done({ call: { call_id: CALL, status: 'executed', approval_id: null }, result: SUCCESS }, 'agent_outcome')
    play.done({ text: 'sent' }, 'agent_answer')
    expect(play.last).toMatchObject({ turn_id: 'APPROVE', status: 'completed', response: 'sent' })
  })

  test('continues after an approval elsewhere; a later reply gets the same answer', () => {
    const play = held1().receive({ type: 'call.ended', call_id: CALL, state: 'executed' })
    play.done({ call: { call_id: CALL, status: 'executed', approval_id: null }, result: SUCCESS }, 'agent_outcome')
    play.say('APPROVE', reply('approved'))
    play.done({ text: 'sent' }, 'agent_answer')
    expect(play.last).toMatchObject({ turn_id: 'APPROVE', status: 'completed', response: 'sent' })
    play.say('APPROVE again', reply('approved'))
    expect(play.last).toMatchObject({ turn_id: 'APPROVE again', status: 'completed', response: 'sent' })
  })

  test('asks what to do instead after a rejection, and does not propose the same call again', () => {
    const play = held1().say('REJECT', reply('rejected', 'wrong person'))
    expect(play.last).toMatchObject({ status: 'awaiting_input' })
    expect(play.last?.response).toContain('wrong person')
    expect(play.state.messages.some(({ role, text }) => role === 'tool' && text.includes('wrong person'))).toBe(true)
    expect(play.state).toMatchObject({ proposed_tool: null, approval_id: null, awaiting_approval: false })
    play.say('send it to Bob').propose('a')
    expect(play.state).toMatchObject({ node: 'Executor', step_status: ['running'] })
    expect(play.state.last_tool_result?.output).toContain('rejected')
    play.propose('b').done(allowed, 'agent_call').done({ text: 'ok' })
    expect(play.last?.status).toBe('completed')
  })

  test('a reply that arrives when nothing is waiting is answered as such', () => {
    const play = held1().receive({ type: 'call.ended', call_id: CALL, state: 'executed' })
    play.say('are you done?').say('APPROVE', reply('approved'))
    play.done({ call: { call_id: CALL, status: 'executed', approval_id: null }, result: SUCCESS }, 'agent_outcome')
    play.done({ text: 'sent' }, 'agent_answer')
    play
      .plan('x')
      .done({ said: { kind: 'text', text: 'yes' } })
      .done({ text: 'I am' })
    expect(play.state.turns.slice(-2)).toMatchObject([
      { turn_id: 'APPROVE', response: 'sent' },
      { turn_id: 'are you done?', response: 'I am' },
    ])
    const late = held1().say('APPROVE late', {
      intent: null,
      reply: { approval_id: 'auth_x', result: 'approved', says: '' },
    })
    expect(late.last).toMatchObject({ status: 'awaiting_approval' })
    const odd = new Play().say('APPROVE odd', reply('approved'))
    expect(odd.last).toMatchObject({ status: 'completed', response: 'That request was already decided.' })
  })

  test('a denial elsewhere is a rejection with its reason', () => {
    const play = held1().receive({ type: 'call.ended', call_id: CALL, state: 'refused' })
    play.done({ result: failedResult('denied: too much') }, 'agent_outcome')
    expect(play.state).toMatchObject({ awaiting_user_input: true, awaiting_approval: false })
    expect(play.state.response).toContain('denied: too much')
  })

  test('a reply that does not count leaves the call pending and says why', () => {
    const play = held1().say('APPROVE', reply('invalid', 'the token has expired'))
    expect(play.last).toMatchObject({ status: 'awaiting_approval' })
    expect(play.last?.response).toContain('the token has expired')
    expect(play.state).toMatchObject({ awaiting_approval: true, approval_id: APPROVAL })
  })

  test('a block is a finding and a failed try', () => {
    const play = new Play().say('x').plan('x')
    for (const hash of ['a', 'b', 'c']) play.propose(hash).done(blocked, 'agent_call')
    expect(play.state.security_findings).toHaveLength(3)
    expect(play.last?.status).toBe('awaiting_input')
    expect(play.last?.response).toContain('RETRY, SKIP or CANCEL')
  })

  test.each([
    ['RETRY', 'agent_propose'],
    ['reintentar', 'agent_propose'],
    ['SKIP', 'agent_answer'],
    ['use the other one', 'agent_propose'],
  ])('after three failed tries %s leads to %s', (word, work) => {
    const play = new Play().say('x').plan('x')
    for (const hash of ['a', 'b', 'c']) play.propose(hash).done(blocked)
    play.say(word)
    expect(play.effects.map(({ kind }) => kind)).toEqual([work])
  })

  test('CANCEL ends the task', () => {
    const play = new Play().say('x').plan('x', 'y')
    for (const hash of ['a', 'b', 'c']) play.propose(hash).done(blocked)
    play.say('CANCELAR')
    expect(play.last).toMatchObject({ status: 'cancelled' })
    expect(play.state.step_status).toEqual(['skipped', 'skipped'])
    play.say('another task')
    expect(play.effects.map(({ kind }) => kind)).toEqual(['agent_plan'])
  })

  test('an integrity mismatch ends the turn with a security error', () => {
    const play = new Play()
      .say('x')
      .plan('x')
      .propose()
      .done({ ...blocked, integrity: 'mismatch' })
    expect(play.last).toMatchObject({ status: 'failed', response: 'Security Error: Integrity check failed' })
    expect(play.state.security_findings).toMatchObject([{ severity: 'critical' }])
    play.say('go on')
    expect(play.effects.map(({ kind }) => kind)).toEqual(['agent_plan'])
  })

  test('a call whose outcome is unknown is not retried automatically', () => {
    const unknown: AgentFound = {
      call: { call_id: CALL, status: 'unknown', approval_id: null },
      verdict: { effect: 'allow', why: '' },
      result: failedResult('nobody knows'),
    }
    const play = new Play().say('x').plan('x').propose().done(unknown)
    expect(play.effects).toEqual([])
    expect(play.last?.status).toBe('awaiting_input')
  })

  test('questions and texts of the executor need no tool; lookups are counted separately', () => {
    const play = new Play().say('x').plan('x', 'y')
    play.done({ said: { kind: 'question', text: 'which one?' } }, 'agent_propose')
    expect(play.last).toMatchObject({ status: 'awaiting_input', response: 'which one?' })
    play.say('the blue one').done({ said: { kind: 'text', text: 'that is easy' } }, 'agent_propose')
    for (let look = 0; look < 16; look++) play.done({ said: { kind: 'lookup', text: `page ${look}` } }, 'agent_propose')
    expect(play.state.tries[1]).toBe(1)
    play.done({ said: { kind: 'lookup', text: 'one more' } })
    expect(play.state.tries[1]).toBe(2)
  })

  test('says so when the models fail or a limit is reached, and continues with the next message', () => {
    const down = { failure: { code: 'agent.model_unavailable', says: 'the model does not answer' } }
    const play = new Play().say('x').done(down, 'agent_plan')
    expect(play.last).toMatchObject({ status: 'failed' })
    play.say('again').done(down, 'agent_propose')
    expect(play.last).toMatchObject({ turn_id: 'again', status: 'failed' })
    const spent = new Play({ tokens: 1_000 }).say('x')
    spent.done({ plan: ['x'], usage: { model_calls: 1, input_tokens: 900, output_tokens: 200, cost: 0 } })
    expect(spent.last?.response).toContain('tokens')
    const lost = new Play({ intent: 'model' }).say('hm', { intent: null }).done(down, 'agent_intent')
    expect(lost.last?.status).toBe('failed')
  })

  test('cancels work in progress, and withdraws a waiting call', () => {
    const busy = new Play().say('x').receive({ type: 'agent.cancel', by: 'user:ana' })
    expect(busy.cancelled).toHaveLength(1)
    busy.receive({ type: 'effect.cancelled', key: busy.cancelled[0] ?? '' })
    expect(busy.last).toMatchObject({ status: 'cancelled' })
    const routed = new Play({ intent: 'model' }).say('x', { intent: null }).receive({ type: 'agent.cancel', by: 'a' })
    routed.receive({ type: 'effect.cancelled', key: routed.cancelled[0] ?? '' })
    expect(routed.last).toMatchObject({ status: 'cancelled' })

    const waiting = held1().receive({ type: 'agent.cancel', by: 'user:ana' })
    expect(waiting.effects.map(({ kind }) => kind)).toEqual(['withdraw_call'])
    waiting.receive({ type: 'call.ended', call_id: CALL, state: 'refused' })
    waiting.done({ result: failedResult('withdrawn') }, 'agent_outcome')
    expect(waiting.state).toMatchObject({ node: 'END', awaiting_approval: false, status: 'cancelled' })
    waiting.say('something else')
    expect(waiting.effects.at(-1)?.kind).toBe('agent_plan')
  })

  test('a cancelled run ends, but not before its held call is withdrawn', () => {
    const play = held1().receive({ type: 'run.cancel', by: 'user:ana' })
    expect(play.ends).toBeUndefined()
    play.receive({ type: 'call.ended', call_id: CALL, state: 'refused' })
    play.done({ result: failedResult('withdrawn') }, 'agent_outcome')
    expect(play.ends).toBe('cancelled')
    expect(new Play().receive({ type: 'run.cancel', by: 'a' }).ends).toBe('cancelled')
  })

  test('messages wait for their turn, in order; beyond a limit the thread is busy', () => {
    const play = new Play().say('one')
    for (let n = 0; n < 11; n++) play.say(`more ${n}`)
    expect(play.last).toMatchObject({ turn_id: 'more 10', status: 'failed' })
    play
      .plan('x')
      .done({ said: { kind: 'text', text: 'ok' } })
      .done({ text: 'first' })
    expect(play.last?.turn_id).toBe('one')
    expect(play.state.turn?.turn_id).toBe('more 0')
  })

  test('the sender of a message acts in its turn, and one whose credential grants less than those before has none', () => {
    const sender = (more: JsonObject = {}): Partial<WaitingMessage> => ({
      intent: 'conversation',
      caller: { kind: 'user', id: 'user:ana', user: 'ana', ...more },
    })
    const limited = { grant: { key: 'key_0000000000000000', tools: ['book__look'] } }
    const play = new Play()
    play.state = { ...play.state, caller: sender(limited).caller ?? {} }
    play.say('one', sender(limited))
    expect(play.state.acting).toMatchObject(limited)
    // Both were allowed to write when they were sent; the larger one was faster.
    play.say('two', sender()).say('three', sender(limited))
    expect(play.last).toMatchObject({ turn_id: 'three', status: 'failed' })
    expect(play.state.acting).toMatchObject(limited)
    play.done({ text: 'first' }, 'agent_answer')
    expect(play.state.turn?.turn_id).toBe('two')
    expect(play.state.acting).not.toMatchObject(limited)
    play.done({ text: 'second' }, 'agent_answer').say('four', sender(limited))
    expect(play.last).toMatchObject({ turn_id: 'four', status: 'failed' })
    expect(new Play().say('one', sender()).say('five', sender({ user: 'bob' })).last).toMatchObject({ turn_id: 'five' })
  })

  test('ends after a long time without messages', () => {
    const play = held1().receive({ type: 'timer', name: 'idle', now: 5 })
    expect(play.ends).toBeUndefined()
    expect(
      new Play()
        .say('hi', { intent: 'conversation' })
        .done({ text: 'x' })
        .receive({ type: 'timer', name: 'idle', now: 5 }).ends,
    ).toBe('done')
  })
})

test('every row of the graph is covered by the threads above', () => {
  const rows = EDGES.map(({ from, when, to }) => `${from} ${when} ${to}`)
  expect(rows.filter((row) => !SEEN_TRANSITIONS.has(row))).toEqual([])
})
