import { describe, expect, test } from 'vitest'
import type { Tool } from '../contract/tool.ts'
import { nearestTool } from './nearest-tool.ts'

const tools = (...ids: readonly string[]) => ids.map((tool_id) => ({ row: { tool_id } }) as unknown as Tool)

const DEMO = tools(
  'outbox__list_messages',
  'outbox__read_message',
  'outbox__send_message',
  'outbox__delete_message',
  'files__read_file',
  'files__read_text_file',
  'files__write_file',
)

describe('a mistyped tool id', () => {
  test.each([
    ['outbox.send-message', 'outbox__send_message'],
    ['send_message', 'outbox__send_message'],
    ['mail__send_message', 'outbox__send_message'],
    ['outbxo__send_message', 'outbox__send_message'],
    ['outbox__send_mesage', 'outbox__send_message'],
    ['outbox__send', 'outbox__send_message'],
    ['outbox__sned', 'outbox__send_message'],
    ['outbox__snd', 'outbox__send_message'],
    ['send', 'outbox__send_message'],
    ['files__read', 'files__read_file'],
    ['files__text', 'files__read_text_file'],
    ['files__file_write', 'files__write_file'],
  ])('%s means %s', (wanted, meant) => expect(nearestTool(wanted, DEMO)).toBe(meant))

  test.each(['outbox__wipe', 'calendar__add_event', 'x', '', '__', 'outbox__', 'a'.repeat(200)])(
    'for `%s` no other tool is named',
    (wanted) => expect(nearestTool(wanted, DEMO)).toBeUndefined(),
  )

  test('a tool that is gone is not named', () => {
    const gone = [{ row: { tool_id: 'outbox__send_message', gone_at: 1 } } as unknown as Tool]
    expect(nearestTool('outbox__send', gone)).toBeUndefined()
  })
})
