import { describe, expect, test } from 'vitest'
import { chatCommand, reactionDecision } from './chat-command.ts'

const ID = 'auth_0123456789abcdef'
const TOKEN = 'v1.1.0123456789abcdef.00'

describe('a line in the room', () => {
  test.each([
    ['approvals', { do: 'approvals' }],
    [' Help ', { do: 'help' }],
    ['runs', { do: 'runs' }],
    ['run run_0123456789', { do: 'run', id: 'run_0123456789' }],
    [`approve ${ID}`, { do: 'approve', id: ID }],
    [`approve ${ID} reason: looks fine`, { do: 'approve', id: ID, reason: 'looks fine' }],
    [`deny ${ID} reason: not today`, { do: 'deny', id: ID, reason: 'not today' }],
    [`APPROVE ${ID} ${TOKEN}`, { do: 'redeem', id: ID, token: TOKEN }],
    [`aprobar ${ID} ${TOKEN}`, { do: 'redeem', id: ID, token: TOKEN }],
    [`RECHAZAR ${ID} no`, { do: 'deny', id: ID, reason: 'no' }],
    [`reject ${ID}`, { do: 'deny', id: ID }],
    [`deny ${ID}`, { do: 'deny', id: ID }],
  ])('%s', (text, command) => expect(chatCommand(text)).toEqual(command))

  test.each([
    'approve',
    `approve ${ID} because I say so`,
    `approve ${ID}, thanks`,
    `approve ${ID}\napprove ${ID}`,
    `approve ${ID} reason: `,
    `approve ${ID} reason: ${'x'.repeat(501)}`,
  ])('%j is not understood, and decides nothing', (text) => expect(chatCommand(text)?.do).toBe('unclear'))

  test.each([
    'shall I approve it?',
    `please approve ${ID}`,
    `АPPROVE ${ID} ${TOKEN}`,
    `аpprove ${ID}`,
    `\u200bapprove ${ID}`,
    `> approve ${ID}`,
    '',
  ])('%j is ordinary talk', (text) => expect(chatCommand(text)).toBeUndefined())
})

test.each([
  ['✅', 'approve'],
  ['✔️', 'approve'],
  ['👍🏽', 'approve'],
  ['❌', 'deny'],
  ['👎', 'deny'],
  ['🎉', undefined],
  ['approve', undefined],
  ['✅✅', undefined],
])('the reaction %s', (key, decision) => expect(reactionDecision(key)).toBe(decision))
