import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolResult } from '../../contract/call.ts'
import type { Json } from '../../contract/json.ts'
import type { ReadBack } from '../../contract/standard.ts'
import { isRedacted, type Sources } from './template.ts'
import { judgeReply, planReadBack } from './plan-read-back.ts'
import { rollbackOf } from './rollback.ts'

const declared: ReadBack = {
  tool: 'read_note',
  args: { id: '{{result.id}}' },
  expect: [
    { path: 'note.text', equals: '{{args.text}}' },
    { path: 'note.tags', contains: '{{args.tag}}' },
  ],
}
const sources = { args: { text: 'hello', tag: 'x' }, result: { id: 7 } }

function planned() {
  const made = planReadBack(declared, sources)
  if (!made.ok) throw new Error(made.says)
  return made.plan
}
const said = (structuredContent: Json): ToolResult => ({ content: [], structuredContent })
const words = (text: string): ToolResult => ({ content: [{ type: 'text', text }] })

describe('a planned read-back', () => {
  test('has its values filled in, and shows its expectations as declared', () => {
    expect(planned()).toEqual({
      tool: 'read_note',
      args: { id: 7 },
      expect: [
        { path: 'note.text', equals: 'hello' },
        { path: 'note.tags', contains: 'x' },
      ],
      expected: ["`note.text` equals this call's `text`", "`note.tags` contains this call's `tag`"],
    })
  })

  test('is not made if a value is missing, and the sentence names the placeholder and no value', () => {
    const made = planReadBack(declared, { args: { tag: 'private' }, result: {} })
    expect(made).toEqual({
      ok: false,
      says: "there is no usable value for the result's `id`, this call's `text`",
    })
    expect(planReadBack(declared, { args: sources.args })).toMatchObject({ ok: false })
  })

  test('is not made for an expectation that any answer would meet', () => {
    expect(planReadBack(declared, { ...sources, args: { text: 'x', tag: '' } })).toMatchObject({ ok: false })
  })

  test('is confirmed only by an answer that meets every expectation', () => {
    const note = { text: 'hello', tags: ['x', 'y'] }
    expect(judgeReply(planned(), said({ note }))).toMatchObject({ ok: true })
    expect(judgeReply(planned(), said({ note: { ...note, text: 'other' } }))).toEqual({
      ok: false,
      says: "not true: `note.text` equals this call's `text`",
    })
    expect(judgeReply(planned(), said({ note: { text: 'hello', tags: [] } }))).toMatchObject({ ok: false })
    expect(judgeReply(planned(), { ...said({ note }), isError: true })).toMatchObject({ ok: 'unknown' })
  })

  test('never states the expected or actual values', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (text, found) => {
        const made = planReadBack(declared, { ...sources, args: { text, tag: text } })
        if (!made.ok) throw new Error(made.says)
        const { says } = judgeReply(made.plan, said({ note: { text: found, tags: [found] } }))
        expect(says).not.toContain(text)
        expect(says).not.toContain(found)
      }),
    )
  })

  test('is neither confirmed nor contradicted by a redacted answer', () => {
    const struck = 'key [REDACTED_TOKEN]'
    expect(isRedacted(struck)).toBe(true)
    expect(judgeReply(planned(), said({ note: { text: struck, tags: [] } }))).toEqual({
      ok: 'unknown',
      says: 'its answer had to be redacted',
    })
    expect(judgeReply(planned(), said({ note: { text: 'hello', tags: ['x'] }, more: struck }))).toMatchObject({
      ok: true,
    })
    expect(planReadBack(declared, { ...sources, result: { id: struck } })).toMatchObject({ ok: false })
    expect(planReadBack(declared, { ...sources, args: { text: struck, tag: 'x' } })).toMatchObject({ ok: true })
  })

  test('reads plain text as `text`, and as `json` if it is JSON', () => {
    const ask = (path: string, equals: Json) => ({ tool: 't', args: {}, expect: [{ path, equals }], expected: ['e'] })
    expect(judgeReply(ask('text', 'hi'), words('hi'))).toMatchObject({ ok: true })
    expect(judgeReply(ask('json.a.0', 1), words('{"a":[1]}'))).toMatchObject({ ok: true })
    expect(judgeReply(ask('json.a', 2), words('{"a":1,"a":2}'))).toMatchObject({ ok: false })
    expect(judgeReply(ask('text', 'hi'), { ...words('hi'), structuredContent: {} })).toMatchObject({ ok: false })
  })
})

describe('a rollback', () => {
  const siblings = (name: string) => (name === 'erase' ? 's__erase' : undefined)
  const anybody = () => true
  const undo = { tool: 'erase', args: { id: '{{result.id}}', why: 'undo {{args.text}}' } }

  test('names what would undo the call as far as it is known, and leaves the rest open', () => {
    expect(rollbackOf(undo, siblings, anybody, { args: { text: '{{result.id}}' } })).toMatchObject({
      is: 'call',
      tool: 's__erase',
      args: { id: '{{result.id}}', why: 'undo {{result.id}}' },
      open: ['{{result.id}}'],
    })
    expect(rollbackOf(undo, siblings, anybody, { args: { text: '{{result.id}}' }, result: { id: 7 } })).toMatchObject({
      args: { id: 7, why: 'undo {{result.id}}' },
      open: [],
    })
  })

  test('is said in words: no placeholder reaches a person, and a value is never read as one', () => {
    const says = (declared: typeof undo, sources: Sources) => rollbackOf(declared, siblings, anybody, sources).says
    expect(says(undo, { args: { text: '{{result.id}}' } })).toBe(
      'to undo it, call s__erase with `id` = the result\'s `id`, `why` = "undo {{result.id}}"',
    )
    expect(says(undo, {})).toBe(
      'to undo it, call s__erase with `id` = the result\'s `id`, `why` = "undo ⟨this call\'s `text`⟩"',
    )
    expect(says(undo, { args: { text: 'x' }, result: { id: 7 } })).toBe(
      'to undo it, call s__erase with {"id":7,"why":"undo x"}',
    )
  })

  test('that nobody may call is not offered', () => {
    expect(rollbackOf(undo, siblings, () => false, { args: { text: 'x' } })).toEqual({
      is: 'unresolved',
      says: 'no known way to undo it: the policy allows nobody to call `s__erase`',
    })
  })

  test('that cannot be determined is not offered', () => {
    expect(rollbackOf(undo, siblings, anybody, { args: {} })).toEqual({
      is: 'unresolved',
      says: "no known way to undo it: there is no usable value for this call's `text`",
    })
    expect(rollbackOf({ tool: 'gone' }, siblings, anybody, { args: {} })).toEqual({
      is: 'unresolved',
      says: 'no known way to undo it: its server has no tool `gone`',
    })
  })

  test('by hand is shown as declared', () => {
    expect(rollbackOf({ command: 'restore the backup' }, siblings, anybody, {})).toEqual({
      is: 'command',
      command: 'restore the backup',
      says: 'to undo it by hand: restore the backup',
    })
  })
})
