import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CALL, Play, allowed, blocked, held, message, reply, tool } from './play.suite.ts'
import type { AgentState } from './state.ts'
import type { AgentFound, AgentRunEvent } from './step.ts'

const anyFound: fc.Arbitrary<AgentFound> = fc.oneof(
  fc.constantFrom<AgentFound>({}, allowed, held, blocked, { ...blocked, integrity: 'mismatch' }),
  fc.record({ plan: fc.array(fc.string(), { maxLength: 8 }) }),
  fc.constantFrom<AgentFound>({ proposed: tool('a') }, { proposed: tool('b') }, { text: 'answer' }),
  fc.record({
    said: fc.record({ kind: fc.constantFrom('invalid', 'text', 'question', 'lookup'), text: fc.string() }),
  }) as fc.Arbitrary<AgentFound>,
  fc.constant<AgentFound>({ failure: { code: 'agent.model_unavailable', says: 'down' } }),
)
const anyEvent = fc.oneof(
  fc.constantFrom('hi', 'RETRY', 'SKIP', 'CANCEL', 'more').map((text) => message(text)),
  fc.constantFrom('approved', 'rejected', 'invalid').map((one) => message('reply', reply(one as 'approved'))),
  fc
    .constantFrom('executed' as const, 'failed' as const, 'refused' as const, 'unknown' as const)
    .map((state) => ({ type: 'call.ended' as const, call_id: CALL, state })),
  fc.constant<AgentRunEvent>({ type: 'agent.cancel', by: 'a' }),
)

describe('laws', () => {
  const walks = fc.array(fc.oneof(anyFound, anyEvent), { maxLength: 60 })
  const walk = (moves: readonly (AgentFound | AgentRunEvent)[], look: (play: Play, before: AgentState) => void) => {
    const play = new Play().say('start')
    for (const move of moves) {
      const before = play.state
      if ('type' in move) play.receive(move)
      else if (play.effects.some(({ kind }) => kind !== 'withdraw_call')) play.done(move)
      look(play, before)
    }
    return play
  }

  test('no effect key is ever used twice', () => {
    fc.assert(
      fc.property(walks, (moves) => {
        const { keys } = walk(moves, () => {})
        expect(new Set(keys).size).toBe(keys.length)
      }),
    )
  })

  test('nothing is proposed or called while an approval is pending', () => {
    fc.assert(
      fc.property(walks, (moves) => {
        walk(moves, ({ state, effects }) => {
          if (state.awaiting_approval)
            expect(effects.filter(({ kind }) => kind === 'agent_propose' || kind === 'agent_call')).toEqual([])
        })
      }),
    )
  })

  test('a step is tried at most three times between two messages, and a plan has at most its steps', () => {
    fc.assert(
      fc.property(walks, (moves) => {
        walk(moves, ({ state }) => {
          for (const tries of state.tries) expect(tries).toBeLessThanOrEqual(3)
          expect(state.current_step).toBeLessThanOrEqual(Math.max(0, (state.plan?.length ?? 1) - 1))
        })
      }),
    )
  })

  test('a thread is working, or waits for something it names', () => {
    fc.assert(
      fc.property(walks, (moves) => {
        const play = walk(moves, () => {})
        if (play.ends !== undefined) return
        const isWorking = play.state.work === 'begun' || play.state.node === 'Tools'
        expect(isWorking ? 'END' : play.state.node, JSON.stringify(play.state.audit_trail)).toBe('END')
      }),
    )
  })
})
