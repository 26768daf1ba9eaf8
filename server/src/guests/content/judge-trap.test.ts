import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../kernel/contract/json.ts'
import { decide } from '../../../test/judging.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import { judgeTrap, type TrapFacts } from './judge-trap.ts'
import { compilePolicy } from '../../kernel/policy/compile-policy.ts'
import { callWith, neutralFacts, strictness, toolWith } from '../../kernel/decide/neutral-facts.suite.ts'
import type { FileFact } from '../sandbox/files-fact.ts'
import { textLeaves } from '../../kernel/text/text-leaves.ts'
import { compileTrap, triggeredTraps } from './traps.ts'

const policyOf = (preset: string) => {
  const compiled = compilePolicy({ text: `preset: ${preset}`, file: 'p' }, { digest: () => 'a' })
  if (!compiled.ok) throw new Error('the policy compiles')
  return compiled.value
}
const TOKEN = 'xk-honey-2718281828'
const tokens = [compileTrap('token', 'traps.tokens.0', TOKEN)]
const traps: TrapFacts = {
  files: [{ name: 'traps.files.0', path: '/srv/bait' }],
}
const factsWith = (args: Json, more: Partial<Facts> = {}): Facts => ({
  ...neutralFacts(toolWith({ text: {} })),
  traps,
  guarded: { own: [], sprung: triggeredTraps(textLeaves(args), tokens) },
  ...more,
})
const judge = (args: Json, more: Partial<Facts> = {}) =>
  judgeTrap(policyOf('careful'), callWith(args), factsWith(args, more))
const files = (...args: Partial<FileFact>[]): Facts['files'] => ({
  sandbox: 'none',
  args: args.map((arg) => ({ at: '/text', certainty: 'path', bound: true, gate: [], readings: [], leads: [], ...arg })),
  too_many: false,
})

describe('a trap', () => {
  test('blocks, names the honey token by its place in the configuration, and shows neither token nor arguments', () => {
    const opinions = judge({ text: `the key is ${TOKEN}`, [TOKEN]: 1 })
    expect(opinions).toEqual([
      {
        decider: 'trap',
        effect: 'block',
        rule: 'trap.token',
        says: '`/*`, `/text` contains a honey token, which no legitimate call uses',
        source: 'traps.tokens.0',
        at: 1,
      },
    ])
    expect(JSON.stringify(opinions)).not.toContain('honey-')
  })

  test('can be a file, in any letter case, and anything below a honey folder', () => {
    for (const lead of ['/srv/bait', '/SRV/Bait', '/srv/bait/a/b'])
      expect(judge({}, { files: files({ leads: ['/desk/x', lead] }) })).toMatchObject([
        { effect: 'block', rule: 'trap.file', source: 'traps.files.0' },
      ])
    expect(judge({}, { files: files({ leads: ['/srv/baits', '/srv'] }) })).toEqual([])
  })

  test('that cannot be ruled out is asked about: a path or a honey file that cannot be resolved', () => {
    const ask = [{ effect: 'ask', strength: 'strong', rule: 'trap.unknown' }]
    expect(judge({}, { files: files({ leads: 'unknown' }) })).toMatchObject(ask)
    expect(judge({}, { files: files({ leads: ['/x'] }), traps: { ...traps, files: 'unknown' } })).toMatchObject(ask)
    expect(judge({}, { files: files({ leads: 'unknown' }), traps: { ...traps, files: [] } })).toEqual([])
  })

  test('is enforced in observe mode too', () => {
    const verdictOn = (args: Json) => decide(policyOf('observe'), callWith(args), factsWith(args))
    expect(verdictOn({ text: TOKEN })).toMatchObject({ effect: 'block' })
    expect(verdictOn({ text: 'x' })).toMatchObject({ effect: 'allow' })
  })

  test('law: a honey token anywhere blocks whatever other deciders say, and without one there is no opinion', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), fc.boolean(), (text, baited) => {
        const other = JSON.parse(text) as Json
        fc.pre(!text.includes('honey'))
        expect(strictness(judge(baited ? { other, text: TOKEN } : { other }))).toBe(baited ? 2 : 0)
      }),
    )
  })
})
