import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ToolEffect } from '../../kernel/contract/tool.ts'
import { compilePolicy } from '../../kernel/policy/compile-policy.ts'
import { judgeSandbox } from './judge-sandbox.ts'
import { callWith, neutralFacts, strictness, toolWith } from '../../kernel/decide/neutral-facts.suite.ts'
import type { FileFact, FilesFact } from './files-fact.ts'
import { isInside } from '../../kernel/text/is-inside.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy compiles')
const policy = compiled.value
type Some = Omit<FilesFact, 'too_many'> & Partial<FilesFact>
const judge = (files: Some, tool = toolWith()) =>
  judgeSandbox(policy, callWith({}), { ...neutralFacts(tool), files: { too_many: false, ...files } })

const local = { roots: ['/desk'] }
const plain = { at: '/path', certainty: 'path', bound: true, gate: [] } as const
const leading = (...leads: string[]): FileFact => ({ ...plain, readings: leads, leads })

describe('the sandbox', () => {
  test('has no opinion on files inside, on servers without a sandbox, and on calls without files', () => {
    expect(judge({ sandbox: local, args: [leading('/desk'), leading('/desk/a/b')] })).toEqual([])
    expect(judge({ sandbox: 'none', args: [leading('/etc/passwd')] })).toEqual([])
    expect(judge({ sandbox: 'remote', args: [] })).toEqual([])
  })

  test("blocks paths that lead outside under any reading, including ones that merely start with a root's name", () => {
    for (const arg of [leading('/etc/passwd'), leading('/desk/a', '/etc'), leading('/deskshop/a'), leading('/')])
      expect(judge({ sandbox: local, args: [arg] })).toMatchObject([{ effect: 'block', rule: 'sandbox.outside' }])
  })

  test('asks strongly about names that suggest secrets, as written and as resolved', () => {
    const hidden: FileFact = { ...plain, readings: ['notes.txt'], leads: ['/desk/.env'] }
    const spelled: FileFact = { ...plain, readings: ['.env'], leads: ['/desk/linked'] }
    for (const arg of [hidden, spelled])
      expect(judge({ sandbox: local, args: [arg] })).toMatchObject([
        { effect: 'ask', strength: 'strong', rule: 'sandbox.sensitive' },
      ])
  })

  test("does not judge the names within a root's own path, which the operator chose", () => {
    const sandbox = { roots: ['/home/ana/.aws/desk'] }
    expect(judge({ sandbox, args: [leading('/home/ana/.aws/desk/a.txt')] })).toEqual([])
    expect(judge({ sandbox, args: [leading('/home/ana/.aws/desk/.ssh/a.txt')] })).toMatchObject([{ effect: 'ask' }])
  })

  test('a refused path is blocked under the name of its fault, also for a remote server', () => {
    const refused: FileFact = { ...plain, fault: 'encoded', readings: [], leads: 'unknown' }
    for (const sandbox of [local, 'remote'] as const)
      expect(judge({ sandbox, args: [refused] })).toMatchObject([{ effect: 'block', rule: 'sandbox.encoded' }])
  })

  test('names the place, once per rule, and never quotes what the caller wrote', () => {
    const args = Array.from({ length: 8 }, (_, at) => ({ ...leading('/etc/passwd'), at: `/paths/${at}` }))
    const opinions = judge({ sandbox: local, args })
    expect(opinions.map(({ says }) => says)).toEqual([
      '`/paths/0`, `/paths/1`, `/paths/2`, `/paths/3`, `/paths/4` and 3 more leads outside the allowed folders',
    ])
    expect(JSON.stringify(opinions)).not.toContain('passwd')
  })

  describe('on every server', () => {
    const named = (name: string, effects: readonly ToolEffect[]) => {
      const tool = toolWith({}, effects)
      return { ...tool, row: { ...tool.row, definition: { ...tool.row.definition, name } } }
    }
    const at = (gate: FileFact['gate'], more: Partial<FileFact> = {}): FileFact => ({ ...leading('/x'), gate, ...more })

    test.each(['none', 'remote', local] as const)(
      'blocks paths into the data folder, read or written: %j',
      (sandbox) => {
        for (const effects of [['read'], ['write'], ['external']] as const) {
          const found = judge({ sandbox, args: [at(['data'], { bound: false })] }, toolWith({}, effects))
          expect(found).toMatchObject([{ effect: 'block', rule: 'sandbox.gate_data' }])
        }
      },
    )

    test('asks about a text that mentions the data folder', () => {
      const spoken = at(['data'], { certainty: 'mention' })
      expect(judge({ sandbox: 'none', args: [spoken] })).toMatchObject([
        { effect: 'ask', strength: 'strong', rule: 'sandbox.gate_mentioned' },
      ])
    })

    test('blocks writing the configuration or the policy, and allows reading them', () => {
      const args = [at(['settings'])]
      expect(judge({ sandbox: 'none', args })).toEqual([])
      for (const effect of ['write', 'destructive', 'privileged'] as const)
        expect(judge({ sandbox: 'none', args }, toolWith({}, [effect]))).toMatchObject([
          { effect: 'block', rule: 'sandbox.gate_settings' },
        ])
    })

    test.each([
      ['move_file', ['write'], 'block'],
      ['delete_directory', ['destructive'], 'block'],
      ['rm', ['write'], 'block'],
      ['search_files', ['read'], 'ask'],
      ['directory_tree', ['read'], 'ask'],
      ['delete_branch', ['destructive'], 'ask'],
      ['list_directory', ['read'], undefined],
      ['git_status', ['read'], undefined],
      ['git_commit', ['write'], undefined],
    ] as const)('judges %s of a folder that contains the data folder', (name, effects, effect) => {
      const found = judge({ sandbox: 'none', args: [at(['around_data'])] }, named(name, effects))
      expect(found.map((one) => one.effect)).toEqual(effect === undefined ? [] : [effect])
    })

    test("blocks a path through a process's own files", () => {
      for (const path of ['/proc/self/cwd/x', '/proc/12/root/etc', '/dev/fd/3', '/proc/self/environ', '/proc/*/fd/1'])
        expect(judge({ sandbox: 'none', args: [leading(path)] })).toMatchObject([
          { effect: 'block', rule: 'sandbox.process' },
        ])
      for (const path of ['/proc/cpuinfo', '/proc/12/status', '/dev/null', '/dev/stdout', '/srv/proc/self/cwd'])
        expect(judge({ sandbox: 'none', args: [leading(path)] })).toEqual([])
    })

    test('asks when there are more paths than are checked', () => {
      expect(judge({ sandbox: 'none', args: [], too_many: true })).toMatchObject([
        { effect: 'ask', strength: 'strong' },
      ])
    })
  })

  const fact = fc.record({
    at: fc.constant('/path'),
    certainty: fc.constant('path' as const),
    bound: fc.constant(true),
    gate: fc.constant([]),
    readings: fc.constant([]),
    leads: fc.oneof(
      fc.constant('unknown' as const),
      fc.array(fc.constantFrom('/desk/a', '/etc/b', '/desk/.env'), { minLength: 1 }),
    ),
  })
  const sandboxes = fc.constantFrom<FilesFact['sandbox']>(local, 'remote', { roots: 'unknown' })

  test('law: a missing fact never lets a call through', () => {
    fc.assert(
      fc.property(fact, sandboxes, (one, sandbox) => {
        const isKnown = one.leads !== 'unknown' && typeof sandbox === 'object' && sandbox.roots !== 'unknown'
        if (!isKnown) expect(strictness(judge({ sandbox, args: [one] }))).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  test('law: one more file never loosens, and only files that all lead inside get no opinion', () => {
    fc.assert(
      fc.property(fc.array(fact), fact, sandboxes, (some, more, sandbox) => {
        const before = strictness(judge({ sandbox, args: some }))
        const after = judge({ sandbox, args: [...some, more] })
        expect(strictness(after)).toBeGreaterThanOrEqual(before)
        if (after.length > 0) return
        const leads = [...some, more].flatMap((one) => (one.leads === 'unknown' ? ['unknown'] : one.leads))
        expect(leads.every((path) => isInside('/desk', path))).toBe(true)
      }),
    )
  })
})

describe('inside', () => {
  test.each([
    ['/desk', '/desk', true],
    ['/desk', '/desk/a', true],
    ['/desk', '/works', false],
    ['/desk', '/', false],
    ['/', '/etc', true],
    ['C:\\work', 'C:\\work\\a', true],
    ['C:\\work', 'C:\\works', false],
  ])('%s contains %s: %s', (root, path, expected) => expect(isInside(root, path)).toBe(expected))
})
