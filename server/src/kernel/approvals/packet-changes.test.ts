import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../contract/json.ts'
import { canonicalJson } from '../json/canonical.ts'
import { fieldChanges } from './field-changes.ts'
import { lineDiff } from '../text/line-diff.ts'
import { packetChanges } from './packet-changes.ts'

describe('the changes a call would make', () => {
  test('an edit is shown field by field, including removed and added fields', () => {
    const before = { to: ['a@x.example', 'b@x.example'], n: 1, gone: true }
    const after = { to: ['a@x.example', 'c@x.example'], n: 1, cc: 'd\u202e@x.example' }
    expect(packetChanges({ args: after, edited_from: before, acts: true })).toEqual([
      {
        of: 'arguments',
        fields: [
          { at: '/to/1', before: 'b@x.example', after: 'c@x.example' },
          { at: '/cc', after: 'd⟨U+202E⟩@x.example' },
          { at: '/gone', before: 'true' },
        ],
      },
    ])
  })

  test('a text and a figure that look the same are shown as JSON', () => {
    expect(fieldChanges({ to: '1', n: null }, { to: 1, n: 'null' })).toEqual([
      { at: '/to', before: '"1"', after: '1' },
      { at: '/n', before: 'null', after: '"null"' },
    ])
  })

  test('pairs of old and new text are a diff of the file', () => {
    const args = { path: 'a.md', edits: [{ oldText: 'one\ntwo', newText: 'one\nthree' }] }
    expect(packetChanges({ args, acts: true })).toEqual([
      {
        of: 'file',
        path: 'a.md',
        is: 'edited',
        added: 1,
        removed: 1,
        cut: false,
        lines: [
          { is: 'same', text: 'one' },
          { is: 'removed', text: 'two' },
          { is: 'added', text: 'three' },
        ],
      },
    ])
    expect(packetChanges({ args, acts: false })).toEqual([])
  })

  test('a dry run that answers with a diff, or with before and after, replaces the guess', () => {
    const text = '--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+three'
    const [file, ...more] = packetChanges({
      args: { path: 'a.md', content: 'x' },
      preview: { content: [{ type: 'text', text }] },
      acts: true,
    })
    expect(file).toMatchObject({ of: 'file', path: 'a.md', is: 'edited', added: 1, removed: 1 })
    expect(more).toEqual([])
    const structuredContent = { before: { balance: 10 }, after: { balance: 4 } }
    expect(packetChanges({ args: {}, preview: { content: [], structuredContent }, acts: true })).toEqual([
      { of: 'dry_run', fields: [{ at: '/balance', before: '10', after: '4' }] },
    ])
  })

  test('long unchanged stretches are left out, and a diff is bounded', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
    const { lines: shown } = lineDiff(lines.join('\n'), [...lines.slice(0, 50), 'new', ...lines.slice(50)].join('\n'))
    expect(shown).toHaveLength(9)
    expect(shown[0]).toEqual({ is: 'skipped', text: '47 unchanged lines' })
    const huge = Array.from({ length: 3_000 }, (_, index) => String(index)).join('\n')
    const diff = lineDiff('', huge)
    expect(diff.cut).toBe(true)
    expect(diff.added).toBe(3_000)
  })
})

describe('laws', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 })
  test('a complete diff leads from one text to the other', () => {
    fc.assert(
      fc.property(lines, lines, (old, now) => {
        const all = lineDiff(old.join('\n'), now.join('\n')).lines
        fc.pre(!all.some(({ is }) => is === 'skipped'))
        const side = (without: string) => all.filter(({ is }) => is !== without).map(({ text }) => text)
        expect(side('added')).toEqual(old.join('\n') === '' ? [] : old)
        expect(side('removed')).toEqual(now.join('\n') === '' ? [] : now)
      }),
    )
  })

  const text = (value: Json | undefined) => {
    const canonical = canonicalJson(value ?? null)
    return canonical.ok ? canonical.value : ''
  }
  test('equal values have no difference, others have one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const [one, other] = [JSON.stringify(a), JSON.stringify(b)].map((text) => JSON.parse(text) as Json)
        expect(fieldChanges(one, one)).toEqual([])
        expect(fieldChanges(one, other).length > 0).toBe(text(one) !== text(other))
      }),
    )
  })
})
