import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../contract/json.ts'
import { compilePolicy } from './compile-policy.ts'
import type { YamlPath } from './located-yaml.ts'
import { spellFault } from './policy-faults.ts'

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const MAIL: JsonObject = {
  type: 'object',
  properties: {
    to: { type: 'array', items: { type: 'string' } },
    amount: { type: 'number' },
    mode: { enum: ['draft', 'send'] },
    meta: { type: 'object' },
  },
}
const schemas = (tool: string) => (tool === 'mail__send' ? MAIL : undefined)

function faultsOf(text: string, at: YamlPath = []): string[] {
  const compiled = compilePolicy({ text, file: 'p.yaml' }, { digest, schemas, at })
  return compiled.ok ? [] : compiled.faults.map(spellFault)
}

/** A policy with one rule, given as lines; the first is line 2. */
const rule = (...lines: string[]) => `rules:\n  - ${lines.join('\n    ')}\n`
const when = (condition: string) =>
  rule('id: a', 'effect: ask', 'match: { tool: mail__send }', `when: ${condition}`, 'says: x')

/** Every mistake with its exact message, because the operator reads it. */
const FAULTS: readonly (readonly [what: string, text: string, ...faults: string[]])[] = [
  ['an empty file', '', 'p.yaml:1:1: the policy cannot be empty; write `preset: careful`, and `rules:` below it'],
  ['a list', '- 1', 'p.yaml:1:1: the policy cannot be this list; write `preset: careful`, and `rules:` below it'],
  [
    'an unknown preset',
    'preset: carefull',
    'p.yaml:1:9: `carefull` is not a known value for `preset`; write one of `observe`, `careful`, `strict`; did you mean `careful`?',
  ],
  ['a mistyped key', 'rule: []', 'p.yaml:1:1: unknown key `rule`; write `rules`'],
  ['an unrelated key', 'banana: 1', 'p.yaml:1:1: unknown key `banana`; write one of `preset`, `rules`'],
  [
    'rules that are not a list',
    'rules: {}',
    'p.yaml:1:8: `rules` cannot be a map; write a list of rules, each starting with `- id:`',
  ],
  [
    'a rule that is not a map',
    'rules: [5]',
    'p.yaml:1:9: this cannot be `5`; write a rule: `id`, `effect`, `match`, `says`',
  ],
  [
    'an unknown effect',
    rule('id: a', 'effect: alow', 'says: x'),
    'p.yaml:3:13: `alow` is not a known value for `effect`; write one of `allow`, `ask`, `block`; did you mean `allow`?',
  ],
  [
    'an effect of another product',
    rule('id: a', 'effect: AUTH_REQUIRED', 'says: x'),
    'p.yaml:3:13: `AUTH_REQUIRED` is not a known value for `effect`; write one of `allow`, `ask`, `block`',
  ],
  ['no effect', rule('id: a', 'says: x'), 'p.yaml:2:5: the rule has no `effect`; write one of `allow`, `ask`, `block`'],
  [
    'no reason',
    rule('id: a', 'effect: ask'),
    'p.yaml:2:5: the rule has no `says`; write the reason in 1 to 300 characters, for the person who reads it',
  ],
  [
    'an id with a space',
    rule('id: A b', 'effect: ask', 'says: x'),
    'p.yaml:2:9: `id` cannot be `A b`; write 1 to 64 lower-case letters, digits, `.`, `_` or `-`, starting with a letter or digit',
  ],
  [
    'an unknown strength',
    rule('id: a', 'effect: ask', 'strength: strongest', 'says: x'),
    'p.yaml:4:15: `strongest` is not a known value for `strength`; write one of `simple`, `strong`, `two_person`',
  ],
  [
    'a strength for a rule that does not ask',
    rule('id: a', 'effect: allow', 'strength: strong', 'says: x'),
    'p.yaml:4:5: `allow` cannot have a strength; leave `strength` out, or write `effect: ask`',
  ],
  [
    'two rules with the same id',
    'rules:\n  - { id: a, effect: ask, says: x }\n  - { id: a, effect: ask, says: x }',
    'p.yaml:3:11: the rule at line 2 has the same id, `a`; choose another id',
  ],
  [
    'an empty match',
    rule('id: a', 'effect: ask', 'match:', 'says: x'),
    'p.yaml:4:11: `match` cannot be empty; write the fields to match, such as `tool: mail__send`',
  ],
  [
    'a mistyped field',
    rule('id: a', 'effect: ask', 'match: { tools: x }', 'says: x'),
    'p.yaml:4:14: unknown key `tools`; write `tool`',
  ],
  [
    'a number for a name, in a list',
    rule('id: a', 'effect: ask', 'match: { tool: [x, 3] }', 'says: x'),
    'p.yaml:4:24: `tool` cannot be `3`; write a name or a glob of 1 to 128 characters, or a list of them',
  ],
  [
    'an empty list',
    rule('id: a', 'effect: ask', 'match: { server: [] }', 'says: x'),
    'p.yaml:4:22: `server` cannot be an empty list; write a name or a glob of 1 to 128 characters, or a list of them',
  ],
  [
    'a mistyped tool effect',
    rule('id: a', 'effect: ask', 'match: { effects: wriet }', 'says: x'),
    'p.yaml:4:23: `wriet` is not a known value for `effects`; write one or more of `read`, `write`, `destructive`, `external`, `privileged`; did you mean `write`?',
  ],
  ['a duplicate key', 'preset: careful\npreset: strict', 'p.yaml:2:1: this key is repeated; keep one of them'],
  [
    'two documents',
    'preset: careful\n---\nrules: []',
    'p.yaml:2:1: a second YAML document starts here; use one document per file',
  ],
  ['a tab', 'rules:\n\t- id: a', 'p.yaml:2:1: YAML cannot be indented with tabs; indent with spaces'],
  ['an alias', 'preset: &p careful\nrules: *p', 'p.yaml:2:8: an alias is not supported here; write the value in full'],
  ['a tag', 'preset: !secret x', 'p.yaml:1:17: the tag `!secret` is not supported here; write the value in full'],
  [
    'a condition that is a list',
    rule('id: a', 'effect: ask', 'when: [1]', 'says: x'),
    'p.yaml:4:11: `when` cannot be this list; write a condition of 1 to 2000 characters, such as `args.amount > 100`',
  ],
  [
    'an unfinished condition',
    when('args.amount >'),
    'p.yaml:5:24: not a condition: unexpected token: EOF; correct the expression here',
  ],
  [
    'an unknown variable',
    when('arg.amount > 1'),
    'p.yaml:5:11: unknown name `arg`; write `args`, or put quotes around a string',
  ],
  [
    'an unknown function',
    when('args.mode.startWith("x")'),
    'p.yaml:5:11: unknown function `startWith`; write `startsWith`',
  ],
  [
    'a regular expression',
    when('args.mode.matches("x.*")'),
    'p.yaml:5:11: regular expressions are not part of a condition; write `startsWith`, `endsWith`, `contains`, or `glob("*.example.com")`',
  ],
  ['an argument the tool does not have', when('args.amont > 1'), 'p.yaml:5:16: `args` has no `amont`; write `amount`'],
  [
    'a number compared with text',
    when('args.amount > "1"'),
    'p.yaml:5:11: `args.amount > "1"` compares a number with text; compare values of one type',
  ],
  [
    'a value that the argument never has',
    when('args.mode == "sent"'),
    'p.yaml:5:11: `"sent"` is not a known value of `args.mode`; write `"send"`',
  ],
  [
    'a condition that is not a boolean',
    when('args.amount'),
    'p.yaml:5:11: the condition is not true or false; compare it with a value',
  ],
  [
    'a mistake inside a folded block',
    rule(
      'id: a',
      'effect: ask',
      'match: { tool: mail__send }',
      'when: >',
      '  args.amount > 1 &&',
      '  args.moed == "send"',
      'says: x',
    ),
    'p.yaml:7:12: `args` has no `moed`; write `mode`',
  ],
  [
    'a mistake inside quotes',
    when('\'args.amount > 1 && args.moed == "send"\''),
    'p.yaml:5:36: `args` has no `moed`; write `mode`',
  ],
  [
    'two mistakes in one condition',
    when('caller.nam == "x" && args.amont > 1'),
    'p.yaml:5:18: `caller` has no `nam`; write one of `id`, `user`, `kind`, `role`',
    'p.yaml:5:37: `args` has no `amont`; write `amount`',
  ],
  [
    'a condition that is too large',
    when(Array.from({ length: 300 }, () => 'true').join('||')),
    'p.yaml:5:11: the condition is too large; split the rule into two',
  ],
]

describe('compilePolicy', () => {
  test.each(FAULTS)('says for %s where it is and what to write', (_what, text, ...faults) => {
    expect(faultsOf(text)).toEqual(faults)
  })

  test("a condition may use the answers to a tool's questions, which are in no schema", () => {
    const named = when('has(args["sluice/inputs"].responses.confirm) && args["sluice/inputs"].state == "x"')
    expect(compilePolicy({ text: named, file: 'p.yaml' }, { digest, schemas })).toMatchObject({ ok: true })
    const wrong = when('has(args["sluice/inputs"].answers)')
    expect(faultsOf(wrong)).toEqual([expect.stringContaining('has no `answers`')])
  })

  test('finds every mistake at once, in file order', () => {
    const text = [
      'presets: x',
      'rules:',
      '  - id: a',
      '    effect: alow',
      '    when: arg.x > 1',
      '    says: x',
      '  - id: a',
      '    efect: ask',
      '    says: ""',
    ].join('\n')
    expect(faultsOf(text)).toEqual([
      'p.yaml:1:1: unknown key `presets`; write `preset`',
      'p.yaml:4:13: `alow` is not a known value for `effect`; write one of `allow`, `ask`, `block`; did you mean `allow`?',
      'p.yaml:5:11: unknown name `arg`; write `args`, or put quotes around a string',
      'p.yaml:7:5: the rule has no `effect`; write one of `allow`, `ask`, `block`',
      'p.yaml:7:9: the rule at line 3 has the same id, `a`; choose another id',
      'p.yaml:8:5: unknown key `efect`; write `effect`',
      'p.yaml:9:11: `says` cannot be empty; write the reason in 1 to 300 characters, for the person who reads it',
    ])
  })

  test('reads a policy embedded in another file, and reports lines of that file', () => {
    const text = 'data: ./x\npolicy:\n  preset: strict\n  rules:\n    - { id: a, effect: ask, says: x }\n'
    const compiled = compilePolicy({ text, file: 'sluice.yaml' }, { digest, at: ['policy'] })
    expect(compiled.ok && compiled.value.operator.rules[0]?.source).toBe('sluice.yaml:5')
    expect(compiled.ok && compiled.value.preset).toBe('strict')
    expect(faultsOf('data: 1\npolicy:\n  rules: 3', ['policy'])).toEqual([
      'p.yaml:3:10: `rules` cannot be `3`; write a list of rules, each starting with `- id:`',
    ])
  })

  test('checks a condition against a schema only if the rule names exactly one tool', () => {
    const about = (tool: string) =>
      rule('id: a', 'effect: ask', `match: { tool: ${tool} }`, 'when: args.amont > 1', 'says: x')
    expect(faultsOf(about('mail__send'))).toHaveLength(1)
    expect(faultsOf(about('[mail__send]'))).toHaveLength(1)
    expect(faultsOf(about('[mail__send, x__y]'))).toEqual([])
    expect(faultsOf(about('"mail__*"'))).toEqual([])
  })

  test('a key that the schema leaves open is not a mistake', () => {
    expect(faultsOf(when('args.meta.anything == 1'))).toEqual([])
  })

  test('is versioned by the hash of its text', () => {
    const text = 'preset: careful\n'
    const compiled = compilePolicy({ text, file: 'p.yaml' }, { digest })
    expect(compiled.ok && compiled.value.version).toBe(digest(text))
  })

  test('only the preset `observe` makes the mode `observe`', () => {
    const modes = ['observe', 'careful', 'strict'].map((preset) => {
      const compiled = compilePolicy({ text: `preset: ${preset}`, file: 'p.yaml' }, { digest })
      return compiled.ok && compiled.value.mode
    })
    expect(modes).toEqual(['observe', 'enforce', 'enforce'])
  })
})
