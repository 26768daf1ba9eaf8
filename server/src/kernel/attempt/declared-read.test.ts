import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ToolEffect, type Tool } from '../contract/tool.ts'
import { isDeclaredRead } from './declared-read.ts'

const definition = { name: 'look', inputSchema: {} }
const row = {
  v: 1,
  tool_id: 'a__look',
  server: 'a',
  definition,
  definition_hash: '',
  first_seen: 0,
  last_changed: 0,
} as const
const tool = (more: Partial<Tool>): Tool => ({
  row,
  effects: ['read'],
  effects_from: 'configured',
  risk: 'low',
  idempotent: true,
  ...more,
})

test('only a tool that the operator configured as read-only is a declared read', () => {
  const effects = fc.array(fc.constantFrom(...ToolEffect.options), { maxLength: 3 })
  const from = fc.constantFrom('configured', 'pack', 'annotated', 'inferred', 'unknown')
  fc.assert(
    fc.property(effects, from, (some, effects_from) => {
      const isRead = some.length > 0 && some.every((effect) => effect === 'read')
      expect(isDeclaredRead(tool({ effects: some, effects_from }))).toBe(isRead && effects_from === 'configured')
    }),
  )
})

test('a tool that runs a command, or that a client runs, is not a declared read', () => {
  expect(isDeclaredRead(tool({}))).toBe(true)
  expect(isDeclaredRead(tool({ shell: 'command' }))).toBe(false)
  expect(isDeclaredRead(tool({ executor: 'client' }))).toBe(false)
})
