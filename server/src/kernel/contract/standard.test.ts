import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../test/read-config.ts'

const READERS = { look: { effects: ['read'] }, guess: {}, watch: { effects: ['read', 'external'] } }

/** What is wrong with one tool's declaration; an empty text if nothing is. */
function faultsOf(tool: object): string {
  const read = readConfig({ servers: { s: { command: 'x', tools: { ...READERS, act: tool } } } })
  return read.ok ? '' : (read.problem.about['paths'] ?? '')
}
const expect_ = { path: 'a', exists: true }

describe('a declared execution', () => {
  test('with a rollback, a check and a read-back is read as written', () => {
    expect(
      faultsOf({
        rollback: { tool: 'undo', args: { id: '{{result.id}}', all: ['{{args.list.0}}'] } },
        check: { tool: 'look', args: { id: '{{args.id}}' }, expect: { path: 'a.0.b', equals: '{{args.id}}' } },
        verify: { tool: 'look', expect: [expect_, { path: 'text', contains: 'id {{result.id}} of {{args.to}}' }] },
      }),
    ).toBe('')
    expect(faultsOf({ rollback: { command: 'restore last night`s backup' } })).toBe('')
  })

  test.each([
    ['nobody declared', 'nothing'],
    ['whose effects the operator did not state', 'guess'],
    ['that does more than read', 'watch'],
    ['that is the acting tool itself', 'act'],
    ['that is a property of every object', 'toString'],
  ])('may not ask a tool %s', (_, tool) => {
    for (const part of ['check', 'verify'])
      expect(faultsOf({ effects: ['write'], [part]: { tool, expect: expect_ } })).toBe(
        `servers.s.tools.act.${part}.tool: only a tool that reads may be used here: declare \`${tool}\` with \`effects: [read]\` here`,
      )
  })

  test.each([
    '{{id}}',
    '{{args}}',
    '{{args.}}',
    '{{ args.id }}',
    '{{env.HOME}}',
    '{{args.id',
    '{{{args.id}}}',
    '{{args..id}}',
    'a {{args.id}} b {{secret}}',
  ])('with the placeholder %s is rejected', (wrong) => {
    for (const tool of [
      { rollback: { tool: 'undo', args: { deep: [{ id: wrong }] } } },
      { check: { tool: 'look', args: { id: wrong }, expect: expect_ } },
      { verify: { tool: 'look', expect: { path: 'a', in: [wrong] } } },
    ])
      expect(faultsOf(tool)).toContain('a placeholder is {{args.<path>}}')
  })

  test('has no placeholders in keys, none for the result before there is one, and none in a command', () => {
    expect(faultsOf({ rollback: { tool: 'undo', args: { '{{args.id}}': 1 } } })).toContain('is only allowed in values')
    expect(faultsOf({ check: { tool: 'look', args: { id: '{{result.id}}' }, expect: expect_ } })).toBe(
      'servers.s.tools.act.check.args.id: a placeholder is {{args.<path>}}, and is only allowed in values',
    )
    expect(faultsOf({ rollback: { command: 'rm {{args.file}}' } })).toContain('a command has no placeholders')
  })

  test.each([
    ['no demand', { path: 'a' }, 'write exactly one of'],
    ['two demands', { path: 'a', equals: 1, exists: true }, 'write exactly one of'],
    ['an empty demand', { path: 'a', contains: '' }, '`contains` must not be empty'],
    ['no path', { path: '', exists: true }, 'a path consists of'],
    ['a broken path', { path: 'a..b', exists: true }, 'a path consists of'],
    ['an unknown word', { path: 'a', matches: 'x', exists: true }, 'unknown key'],
    ['an empty list of demands', [], 'verify.expect'],
  ])('with %s is rejected', (_, expected, says) => {
    expect(faultsOf({ verify: { tool: 'look', expect: expected } })).toContain(says)
  })

  test('with a rollback that has neither `tool` nor `command`, or both, is rejected', () => {
    for (const rollback of [{}, { args: {} }, { tool: 'undo', command: 'x' }])
      expect(faultsOf({ rollback })).toContain('write either `tool` or `command`')
    expect(faultsOf({ rollback: { command: 'x', args: {} } })).toContain('a command has no `args`')
  })
})
