import { expect, test } from 'vitest'
import { serversOf, withLedger } from '../../../test/tool-servers/with-ledger.ts'
import { registerTools } from './register-tools.ts'

test('without a ranker a tool is found by the words of its name, and one that is not admitted is not found', () =>
  withLedger(serversOf({ mail: { command: 'x' } }), async ({ deps, catalogue }) => {
    const tool = (name: string, title: string) => ({ name, title, inputSchema: {} })
    await registerTools(deps, 'mail', [tool('send_message', 'Send a letter'), tool('list_messages', 'List')])
    await registerTools(deps, 'mail', [tool('send_message', 'Send a letter'), tool('list_messages', 'Send messages')])
    const found = (query: string) => catalogue.search({ query, top_k: 5, counts: () => true })
    expect(await found('send the letter')).toEqual([
      { tool_id: 'mail__send_message', score_hint: 2 / 3, reason: 'send, letter in name' },
    ])
    expect(await found('parrots')).toEqual([])
    expect(await catalogue.search({ query: 'send', top_k: 5, counts: () => false })).toEqual([])
  }))
