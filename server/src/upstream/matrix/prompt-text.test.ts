import { expect, test } from 'vitest'
import type { ChannelMessage } from '../../commands/channels/channel-message.ts'
import { promptText } from './prompt-text.ts'

const MESSAGE: ChannelMessage = {
  delivery_id: 'run_01a1de5dd6307a79',
  event: 'approval.pending',
  at: 0,
  call_id: 'call_1',
  approval_id: 'auth_0123456789abcdef',
  tool_id: 'book__note',
  title: 'note',
  sentence: { action: 'unknown', button: 'Write the note', pieces: [{ is: 'text', text: 'Writes a note' }] },
  risk: 'medium',
  why: 'it writes, so a person decides',
  args: '{}',
  asked_by: 'agent:claude',
  thread: 't',
  state: 'pending',
}

test('a prompt asks for a decision only where one can be made', () => {
  const { body: here } = promptText({ ...MESSAGE, digest: 'a'.repeat(64) })
  expect(here).toContain('Approve? Writes a note')
  expect(here).toContain('React with')
  const { body: atNode, formatted_body } = promptText({ ...MESSAGE, decided_at: 'https://hub.example' })
  expect(atNode).toContain('Waiting for the hub: Writes a note')
  expect(atNode).toContain('The hub https://hub.example decides this request. It cannot be decided in this room.')
  for (const text of [atNode, formatted_body]) expect(text).not.toMatch(/Approve\?|React with|Open /)
})
