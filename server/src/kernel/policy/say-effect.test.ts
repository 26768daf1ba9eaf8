import { expect, test } from 'vitest'
import type { Tool, ToolEffect } from '../contract/tool.ts'
import { sayEffect } from './say-effect.ts'

const definition = { name: 'x', inputSchema: {} }
const toolOf = (tool_id: string, effects: readonly ToolEffect[]): Tool => ({
  row: {
    v: 1,
    tool_id,
    server: tool_id.slice(0, tool_id.indexOf('__')),
    definition,
    definition_hash: 'ab',
    first_seen: 0,
    last_changed: 0,
  },
  effects: [...effects],
  effects_from: 'configured',
  risk: 'high',
  idempotent: false,
})

test.each<[string, ToolEffect[], string]>([
  ['files__write_file', ['write', 'destructive'], 'writes a file and may overwrite or delete what is there'],
  ['files__move_file', ['write', 'destructive'], 'moves a file and may overwrite or delete what is there'],
  ['files__edit_file', ['write', 'destructive'], 'changes a file and may overwrite or delete what is there'],
  ['files__create_directory', ['write'], 'creates a folder'],
  ['files__edit', ['write'], 'changes a file'],
  ['outbox__send_message', ['external'], 'sends a message'],
  ['mail__send', ['write', 'external'], 'sends a message'],
  ['outbox__delete_message', ['destructive'], 'deletes a message'],
  [
    'mail__delete_message',
    ['write', 'destructive', 'external'],
    'reaches other people or the network and deletes a message',
  ],
  ['slack__list_messages', ['read', 'external'], 'reaches other people or the network'],
  ['github__create_issue', ['write'], 'creates an issue'],
  ['github__add_issue_comment', ['write'], 'adds a comment'],
  ['team__add_member_to_team', ['write'], 'adds a member'],
  ['crm__merge', ['write'], 'changes something'],
  ['db__wipe', ['destructive'], 'deletes something'],
  ['shell__run', ['privileged'], 'uses special privileges'],
  ['web__fetch', ['read'], 'reads'],
])('%s %s: it %s', (tool_id, effects, says) => {
  expect(sayEffect(toolOf(tool_id, effects))).toBe(says)
})

test('a production tag counts in any case of letters, as it does for the risk class', () => {
  expect(sayEffect(toolOf('db__update_row', ['write']), ['Production'])).toBe('changes a row and touches production')
})
