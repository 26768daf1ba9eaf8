import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compilePolicy } from './policy/compile-policy.ts'
import { judgeSandbox } from './judge-sandbox.ts'
import { callWith, quietFacts, strictness } from './quiet-facts.suite.ts'
import type { FileFact, FilesFact } from './sandbox/files-fact.ts'
import { isInside } from './sandbox/is-inside.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy compiles')
const policy = compiled.value
const judge = (files: FilesFact) => judgeSandbox(policy, callWith({}), { ...quietFacts(), files })

const local = { roots: ['/desk'] }
const leading = (...leads: string[]): FileFact => ({ at: '/path', readings: leads, leads })

describe('the sandbox', () => {
  test('has nothing to say of files inside, of servers without one, and of calls without files', () => {
    expect(judge({ sandbox: local, args: [leading('/desk'), leading('/desk/a/b')] })).toEqual([])
    expect(judge({ sandbox: 'none', args: [leading('/etc/passwd')] })).toEqual([])
    expect(judge({ sandbox: 'remote', args: [] })).toEqual([])
  })

  test('blocks what leads outside, by any reading, and what only begins like a root', () => {
    for (const arg of [leading('/etc/passwd'), leading('/desk/a', '/etc'), leading('/deskshop/a'), leading('/')])
      expect(judge({ sandbox: local, args: [arg] })).toMatchObject([{ effect: 'block', rule: 'sandbox.outside' }])
  })

  test('asks strongly about names that promise secrets, as written and as they lead', () => {
    const hidden: FileFact = { at: '/path', readings: ['notes.txt'], leads: ['/desk/.env'] }
    const spelled: FileFact = { at: '/path', readings: ['.env'], leads: ['/desk/linked'] }
    for (const arg of [hidden, spelled])
      expect(judge({ sandbox: local, args: [arg] })).toMatchObject([
        { effect: 'ask', strength: 'strong', rule: 'sandbox.sensitive' },
      ])
  })

  test('takes the names of a root as the operator`s own choice', () => {
    const sandbox = { roots: ['/home/ana/.aws/desk'] }
    expect(judge({ sandbox, args: [leading('/home/ana/.aws/desk/a.txt')] })).toEqual([])
    expect(judge({ sandbox, args: [leading('/home/ana/.aws/desk/.ssh/a.txt')] })).toMatchObject([{ effect: 'ask' }])
  })

  test('a refused path is blocked under the name of its fault, also for a remote server', () => {
    const refused: FileFact = { at: '/path', fault: 'encoded', readings: [], leads: 'unknown' }
    for (const sandbox of [local, 'remote'] as const)
      expect(judge({ sandbox, args: [refused] })).toMatchObject([{ effect: 'block', rule: 'sandbox.encoded' }])
  })

  test('says where, once per rule, and never what the caller wrote', () => {
    const args = Array.from({ length: 8 }, (_, at) => ({ ...leading('/etc/passwd'), at: `/paths/${at}` }))
    const opinions = judge({ sandbox: local, args })
    expect(opinions.map(({ says }) => says)).toEqual([
      '`/paths/0`, `/paths/1`, `/paths/2`, `/paths/3`, `/paths/4` and 3 more leads outside the allowed folders',
    ])
    expect(JSON.stringify(opinions)).not.toContain('passwd')
  })

  const fact = fc.record({
    at: fc.constant('/path'),
    readings: fc.constant([]),
    leads: fc.oneof(
      fc.constant('unknown' as const),
      fc.array(fc.constantFrom('/desk/a', '/etc/b', '/desk/.env'), { minLength: 1 }),
    ),
  })
  const sandboxes = fc.constantFrom<FilesFact['sandbox']>(local, 'remote', { roots: 'unknown' })

  test('law: a fact that could not be had is never let through', () => {
    fc.assert(
      fc.property(fact, sandboxes, (one, sandbox) => {
        const isKnown = one.leads !== 'unknown' && typeof sandbox === 'object' && sandbox.roots !== 'unknown'
        if (!isKnown) expect(strictness(judge({ sandbox, args: [one] }))).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  test('law: one more file never loosens, and only files that all lead inside pass in silence', () => {
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
  ])('%s holds %s: %s', (root, path, expected) => expect(isInside(root, path)).toBe(expected))
})
