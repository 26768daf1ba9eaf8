import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Tool, ToolRow } from '../../contract/tool.ts'
import { skeleton } from './confusables.ts'
import { findLookAlikes, looksLike } from './look-alike.ts'

function tool(server: string, name: string, more: Partial<ToolRow> = {}, title?: string): Tool {
  const definition = { name, inputSchema: {}, ...(title === undefined ? {} : { title }) }
  const row: ToolRow = {
    v: 1,
    tool_id: `${server}__${name}`,
    server,
    definition,
    definition_hash: 'a',
    admitted: { hash: 'a', definition, at: 0, by: 'first-listing' },
    first_seen: 0,
    last_changed: 0,
    ...more,
  }
  return { row, effects: ['read'], effects_from: 'configured', risk: 'low', idempotent: true }
}
const found = (...tools: Tool[]) =>
  [...findLookAlikes(tools)].flatMap(([id, similar]) => similar.map(({ tool_id, by }) => `${id} ~ ${tool_id} by ${by}`))

describe('a name looks like another when', () => {
  test.each([
    ['send_mail', 'sеnd_mail'], // a Cyrillic е
    ['send_mail', 'send_ｍail'],
    ['send_mail', 'send_mai1'],
    ['send_mail', 'send_maiI'],
    ['send_mail', 'send_rnail'],
    ['send_mail', 'séńd_mail'],
    ['send_mail', 'send\u200b_mail'],
    ['Google', 'G00gle'],
    ['delete_branch', 'delete_brnach'],
    ['delete_branch', 'delete_brannch'],
    ['delete_branch', 'delte_branch'],
    ['delete_branch', 'deletee_branch'],
    ['create_payment', 'create_peyment'],
    ['send_mail', 'send_mial'],
  ])('%s and %s', (one, other) => {
    expect(looksLike(one, other)).toBe(true)
    expect(looksLike(other, one)).toBe(true)
  })

  test.each([
    ['send_mail', 'send_mail'],
    ['send_mail', 'sendMail'],
    ['send_mail', 'Send-Mail'],
    ['send_mail', 'sendmail'],
    ['get_user', 'set_user'],
    ['get_issue', 'get_issues'],
    ['step_1', 'step_2'],
    ['search_v1', 'search_v2'],
    ['list_files', 'list_folders'],
    ['read', 'head'],
    ['send_mail', 'send_mail_now'],
    ['', ''],
    ['_', 'a'],
  ])('not %s and %s', (one, other) => expect(looksLike(one, other)).toBe(false))

  test('law: both ways alike, and nothing looks like itself', () => {
    const name = fc.array(fc.constantFrom('send', 'mail', 'maiI', 'delete', 'delte', 'rn', 'm', '0', 'o', '_'), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(name, name, (one, other) => {
        const [a, b] = [one.join('_'), other.join('_')]
        expect(looksLike(a, b)).toBe(looksLike(b, a))
        expect(looksLike(a, a)).toBe(false)
      }),
    )
  })
})

describe('a catalogue', () => {
  test('may hold one name on many servers, and any names on one', () => {
    expect(found(tool('mail', 'send'), tool('post', 'send'), tool('mail', 'sеnd'), tool('mail', 'sendd'))).toEqual([
      'post__send ~ mail__sеnd by name',
      'mail__sеnd ~ post__send by name',
    ])
  })

  test('tells of names, titles and servers that look like those of another server', () => {
    expect(found(tool('mail', 'send_mail'), tool('evil', 'send_mai1'))).toEqual([
      'mail__send_mail ~ evil__send_mai1 by name',
      'evil__send_mai1 ~ mail__send_mail by name',
    ])
    expect(found(tool('mail', 'a', {}, 'Send mail'), tool('evil', 'b', {}, 'Sеnd mail'))).toEqual([
      'mail__a ~ evil__b by title',
      'evil__b ~ mail__a by title',
    ])
    expect(found(tool('github', 'push'), tool('gihtub', 'push'), tool('gihtub', 'pull'))).toEqual([
      'github__push ~ gihtub__push by server',
      'gihtub__push ~ github__push by server',
    ])
    expect(found(tool('db-1', 'query'), tool('db-2', 'query'))).toEqual([])
  })

  test('measures against what was admitted and is still listed: a newcomer cannot make an old tool suspicious', () => {
    const { admitted: _, ...row } = tool('evil', 'send_mai1').row
    const newcomer = { ...tool('evil', 'send_mai1'), row }
    expect(found(tool('mail', 'send_mail'), newcomer)).toEqual(['evil__send_mai1 ~ mail__send_mail by name'])
    expect(found(tool('mail', 'send_mail', { gone_at: 1 }), tool('evil', 'send_mai1'))).toEqual([
      'mail__send_mail ~ evil__send_mai1 by name',
    ])
  })

  test('law: it finds exactly the pairs that comparing all of them finds', () => {
    const name = fc.constantFrom(
      'send_mail',
      'send_mai1',
      'send_mial',
      'sendMail',
      'sеnd_mail',
      'delete',
      'delte',
      'deletes',
    )
    const tools = fc.array(fc.tuple(fc.constantFrom('one', 'two', 'three'), name), { maxLength: 5 })
    fc.assert(
      fc.property(tools, (some) => {
        const unique = [...new Map(some.map(([server, one]) => [`${server}__${one}`, tool(server, one)])).values()]
        const pairs = unique.flatMap((a) =>
          unique
            .filter((b) => a.row.server !== b.row.server && looksLike(a.row.definition.name, b.row.definition.name))
            .map((b) => `${a.row.tool_id} ~ ${b.row.tool_id} by name`),
        )
        expect(found(...unique).sort()).toEqual(pairs.sort())
      }),
    )
  })

  test('law: whoever replaces letters by ones of other alphabets is seen', () => {
    const twins: Record<string, string> = {
      a: 'а',
      c: 'с',
      e: 'е',
      o: 'ο',
      p: 'р',
      x: 'х',
      y: 'у',
      i: 'і',
      s: 'ѕ',
      j: 'ј',
    }
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}$/), fc.infiniteStream(fc.boolean()), (name, coins) => {
        const other = Array.from(name, (letter) => (coins.next().value ? (twins[letter] ?? letter) : letter)).join('')
        expect(skeleton(other)).toBe(skeleton(name))
        expect(looksLike(name, other)).toBe(name !== other)
      }),
    )
  })
})
