import { describe, expect, test } from 'vitest'
import { compilePolicy } from './compile-policy.ts'
import { explainPolicy } from './show.ts'

const TEXT = `preset: strict
rules:
  - id: big
    effect: ask
    strength: two_person
    match: { tool: [bank__pay, bank__move*], role: agent }
    when: args.amount>100&&has(args.to)
    says: much money moves
  - { id: rest, effect: block, says: nothing else is wanted }
`

function shown(text: string) {
  const compiled = compilePolicy({ text, file: 'p.yaml' }, { digest: () => 'v1' })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults))
  return explainPolicy(compiled.value)
}

describe('explainPolicy', () => {
  test("shows the operator's rules in their order, then the preset's, each with its place", () => {
    const { rules, version, preset, mode } = shown(TEXT)
    expect({ version, preset, mode }).toEqual({ version: 'v1', preset: 'strict', mode: 'enforce' })
    expect(rules.map(({ layer, id, source }) => `${layer} ${id} ${source}`)).toEqual([
      'operator big p.yaml:3',
      'operator rest p.yaml:9',
      'preset strict.read preset strict',
      'preset strict.low preset strict',
      'preset strict.medium preset strict',
      'preset strict.high preset strict',
      'preset strict.critical preset strict',
    ])
  })

  test('describes a rule as a sentence, with the condition as parsed', () => {
    expect(
      shown(TEXT)
        .rules.slice(0, 2)
        .map(({ reads }) => reads),
    ).toEqual([
      'ask (two_person) if the tool is bank__pay or bank__move* and the role is agent and args.amount > 100 && has(args.to): much money moves',
      'block always: nothing else is wanted',
    ])
  })

  test('says how a call finds a rule', () => {
    expect(
      shown(TEXT)
        .rules.slice(0, 2)
        .map((rule) => rule.found_by),
    ).toEqual([['tool is bank__pay', 'tool begins with bank__move'], []])
  })

  test('says that observe only records', () => {
    expect(shown('preset: observe').reads).toContain('only traps, integrity failures and pauses are enforced')
    expect(shown('preset: careful').reads).not.toContain('only traps')
  })

  test('is plain data', () => {
    const value = shown(TEXT)
    expect(JSON.parse(JSON.stringify(value))).toEqual(value)
  })
})
