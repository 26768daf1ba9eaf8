import { expect, test } from 'vitest'
import type { ChannelMessage } from '../../kernel/approvals/channel-message.ts'
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

test('what can mislead about a recipient stands beside it, and cannot be imitated by one', () => {
  const pieceOf = (text: string, mark?: string) =>
    ({ is: 'value', text: mark === undefined ? text : `${text} ⟨${mark}⟩`, at: '/to', ...(mark && { mark }) }) as const
  const said = (piece: ReturnType<typeof pieceOf>) =>
    promptText({ ...MESSAGE, sentence: { action: 'send', button: 'Send', pieces: [piece] } })
  const marked = said(pieceOf('joe@exarnple.com', 'can be mistaken for joe@example.com'))
  expect(marked.body).toContain('Approve? joe@exarnple.com ⟨can be mistaken for joe@example.com⟩')
  expect(marked.formatted_body).toContain('<code>joe@exarnple.com</code> ⟨can be mistaken for joe@example.com⟩')
  for (const text of ['joe@x ⟨known⟩', 'joe@x⟨known⟩']) {
    const imitated = said(pieceOf(text))
    expect(imitated.body).toContain(`Approve? “${text}”`)
    expect(imitated.formatted_body).toContain(`<code>${text}</code>`)
  }
})
