import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Tool, ToolRow } from '../contract/tool.ts'
import { skeleton } from './confusables.ts'
import { createLookAlikeIndex } from './look-alike-index.ts'
import { looksLike, spellingKeys } from './look-alike.ts'

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
function found(...tools: Tool[]): string[] {
  const index = createLookAlikeIndex()
  for (const one of tools) index.set(one)
  return tools.flatMap(({ row: { tool_id: id } }) =>
    index.of(id).map(({ tool_id, by }) => `${id} ~ ${tool_id} by ${by}`),
  )
}

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
  ])('but not %s and %s', (one, other) => expect(looksLike(one, other)).toBe(false))

  test('law: it is symmetric, and nothing looks like itself', () => {
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
  test('may contain one name on many servers, and any names on one', () => {
    expect(found(tool('mail', 'send'), tool('post', 'send'), tool('mail', 'sеnd'), tool('mail', 'sendd'))).toEqual([
      'post__send ~ mail__sеnd by name',
      'mail__sеnd ~ post__send by name',
    ])
  })

  test('reports names, titles and servers that look like those of another server', () => {
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

  test('compares only with tools that were admitted and are still listed: a new tool cannot make an old one suspicious', () => {
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

  test('law: letters replaced by those of other alphabets are detected', () => {
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

  test('law: its result does not depend on what was added, changed and removed before', () => {
    const name = fc.constantFrom('send_mail', 'send_mai1', 'send_mial', 'sеnd_mail', 'delete', 'delte', 'deletee')
    const server = fc.constantFrom('mail', 'post', 'pots')
    const title = fc.constantFrom(undefined, 'Send mail', 'Sеnd mail')
    const step = fc.record({ server, name, title, act: fc.constantFrom('admit', 'list', 'go', 'remove') })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const index = createLookAlikeIndex()
        const now = new Map<string, Tool>()
        for (const { act, ...one } of steps) {
          const admitted = tool(one.server, one.name, act === 'go' ? { gone_at: 1 } : {}, one.title)
          const { admitted: _, ...row } = admitted.row
          const next: Tool = act === 'list' ? { ...admitted, row } : admitted
          now.delete(next.row.tool_id)
          if (act !== 'remove') now.set(next.row.tool_id, next)
          if (act === 'remove') index.remove(next.row.tool_id)
          else index.set(next)
        }
        const said = [...now.keys()].flatMap((id) =>
          index.of(id).map(({ tool_id, by }) => `${id} ~ ${tool_id} by ${by}`),
        )
        expect(said.sort()).toEqual(found(...now.values()).sort())
      }),
    )
  })

  test('law: texts that look alike share a key', () => {
    const twins = fc.constantFrom(
      ['send_mail', 'send_mial'],
      ['mail', 'maiI'],
      ['delete', 'delte'],
      ['delete', 'dleete'],
      ['branch', 'brannch'],
      ['Branch', 'bramch'],
      ['modern', 'modem'],
    )
    const rest = fc.array(fc.constantFrom('to', 'the', 'List', '2', 'oldest'), { maxLength: 3 })
    fc.assert(
      fc.property(rest, twins, rest, (before, [one = '', other = ''], after) => {
        const [a, b] = [one, other].map((word) => [...before, word, ...after].join('_'))
        expect(looksLike(a ?? '', b ?? '')).toBe(true)
        const shared = spellingKeys(a ?? '').filter((key) => spellingKeys(b ?? '').includes(key))
        expect(shared).not.toEqual([])
      }),
    )
  })

  test('many look-alikes on one server hide nothing from another', () => {
    const crowd = Array.from({ length: 200 }, (_, at) =>
      tool('evil', `delete_branc${String.fromCharCode(97 + (at % 26))}${'z'.repeat(at % 7)}_all`),
    )
    const lines = found(...crowd, tool('evil', 'delete_brannch_all'), tool('git', 'delete_branch_all'))
    expect(lines).toContain('evil__delete_brannch_all ~ git__delete_branch_all by name')
  })
})
