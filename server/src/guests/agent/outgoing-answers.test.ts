import { expect, test } from 'vitest'
import { APPROVAL, CALL, Play, SUCCESS, held } from './play.suite.ts'
import { startThread } from './state.ts'
import type { AgentRunEvent } from './step.ts'

/** A thread with a document's agent. */
function inRoom(): Play {
  const play = new Play()
  const document = { name: 'clerk', version: 1, transport: 't', room: '!r', sender: '@s', hold_s: null }
  play.state = startThread({ ...play.state, document })
  return play
}
const replies = ({ effects }: Play) => effects.filter(({ kind }) => kind === 'agent_reply')
const sent = (play: Play) => {
  for (const { key } of replies(play)) play.receive({ type: 'effect.done', key } as unknown as AgentRunEvent)
  return play
}

test('each end of a turn is sent under its own key, with the slot of the turn', () => {
  const play = inRoom().say('hi', { intent: 'conversation', place: 'p' }).done({ text: 'one' }, 'agent_answer')
  expect(replies(play)).toMatchObject([{ key: 'run_0000000000000001/reply/1', with: { text: 'one', place: 'p' } }])
  sent(play).say('hi', { turn_id: 'again', intent: 'conversation' }).done({ text: 'two' }, 'agent_answer')
  expect(replies(play)).toMatchObject([{ key: 'run_0000000000000001/reply/2', with: { text: 'two', place: null } }])
})

test('a thread that was not started from a room sends nothing', () => {
  const play = new Play().say('hi', { intent: 'conversation' }).done({ text: 'one' }, 'agent_answer')
  expect(replies(play)).toEqual([])
})

test('a waiting call is announced, and so is its outcome after the decision', () => {
  const play = inRoom().say('send it').plan('send').propose().done(held, 'agent_call')
  expect(replies(play)).toMatchObject([{ with: { text: expect.stringContaining(APPROVAL) } }])
  sent(play).receive({ type: 'call.ended', call_id: CALL, state: 'executed' })
  const call = { call_id: CALL, status: 'executed' as const, approval_id: APPROVAL }
  play.done({ call, result: SUCCESS }, 'agent_outcome').done({ text: 'it is sent' }, 'agent_answer')
  expect(replies(play)).toMatchObject([{ with: { text: 'it is sent' } }])
})

test('dropped messages release their slots, and the thread ends after all answers', () => {
  const play = inRoom().say('one', { place: 'a' }).say('two', { place: 'b' }).say('three', { place: 'c' })
  play.receive({ type: 'run.cancel', by: 'admin' })
  expect(play.ends).toBeUndefined()
  while (play.ends === undefined) {
    const [first] = play.effects
    if (first === undefined) throw new Error('it should have ended')
    play.receive({ type: 'effect.done', key: first.key } as unknown as AgentRunEvent)
  }
  expect(play.ends).toBe('cancelled')
  expect(play.keys.filter((key) => key.includes('/reply/'))).toHaveLength(3)
})

test('a message beyond the limit is answered at once and releases its slot', () => {
  const play = inRoom().say('one')
  for (let n = 0; n < 11; n++) play.say(`more ${n}`, { place: `p${n}` })
  expect(replies(play)).toMatchObject([{ with: { text: expect.stringContaining('busy'), place: 'p10' } }])
})
