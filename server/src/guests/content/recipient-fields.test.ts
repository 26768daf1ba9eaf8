import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../kernel/contract/json.ts'
import type { ToolEffect } from '../../kernel/contract/tool.ts'
import { toolWith } from '../../kernel/decide/neutral-facts.suite.ts'
import { isRecipient } from './recipient-fields.ts'

const toolCalled = (name: string, properties: JsonObject, effects: readonly ToolEffect[]) => {
  const tool = toolWith(properties, effects)
  const definition = { ...tool.row.definition, name }
  const admitted = { hash: tool.row.definition_hash, definition, at: 0, by: 'first-listing' }
  return { ...tool, row: { ...tool.row, definition, admitted } }
}
const sender = toolCalled('send_message', { to: {}, body: {} }, ['write', 'external'])
const at = (path: string, type = 'EMAIL', alone = true) => ({ type, path, alone })

describe('the recipient field of a message', () => {
  test.each(
    `/to /cc /bcc /to/0 /recipient /recipients/3 /toEmail /to_address /email_to /toRecipients/0/emailAddress/address
     /to/0/email /attendees/1/email /attendees/1/address /participants /invitees/0 /channel /channel_id /chatId /room
     /reply_to /recipientEmail /recipient_phone_number /destination /message/to /personalizations/0/to/0/email /mailto
     /send_to /share_with_recipients /guests/0/email /payee /beneficiary_iban /forward_to`.split(/\s+/),
  )('%s is one', (path) => {
    expect(isRecipient(at(path), sender)).toBe(true)
  })

  test.each(
    `/body /subject /text /note /toast /token /history /total /content/to_do /to/0/note /recipient/comment /from /sender
     /customer_email /tool /photo /message/body /data /attendees/0/description /channel_topic /destination_text`.split(
      /\s+/,
    ),
  )('%s is not one', (path) => {
    expect(isRecipient(at(path), sender)).toBe(false)
  })

  test('contains addresses and little else', () => {
    expect(isRecipient(at('/to', 'EMAIL', false), sender)).toBe(false)
  })

  test('never excuses a card or an identity number', () => {
    for (const type of ['PAYMENT_CARD', 'NATIONAL_ID']) expect(isRecipient(at('/to', type), sender)).toBe(false)
    for (const type of ['EMAIL', 'PHONE', 'IBAN']) expect(isRecipient(at('/to', type), sender)).toBe(true)
  })

  test('is `email` if a tool that reaches people has no other', () => {
    const invite = toolCalled('invite_user', { email: {}, note: {} }, ['write', 'external'])
    expect(isRecipient(at('/email'), invite)).toBe(true)
    expect(isRecipient(at('/note'), invite)).toBe(false)
    expect(isRecipient(at('/email'), sender)).toBe(false)
    expect(isRecipient(at('/email'), toolCalled('invite_user', { email: {} }, ['write']))).toBe(false)
    expect(isRecipient(at('/email'), toolCalled('create_invoice', { email: {} }, ['write', 'external']))).toBe(false)
  })

  test('includes the host of a request', () => {
    expect(isRecipient({ ...at('/url', 'IPV4', false), url: 'host' }, sender)).toBe(true)
    expect(isRecipient({ ...at('/url', 'IPV4', false), url: 'rest' }, sender)).toBe(false)
    expect(isRecipient(at('/host', 'IPV6'), sender)).toBe(true)
    expect(isRecipient(at('/body', 'IPV4'), sender)).toBe(false)
  })
})
