import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../contract/json.ts'
import { RiskClass, ToolEffect } from '../contract/tool.ts'
import { effectsOf, idempotentOf, riskClassOf } from './effects.ts'

const hint = fc.constantFrom(true, false, undefined, 'true', null)
const hints = fc.record({ readOnlyHint: hint, destructiveHint: hint, openWorldHint: hint, idempotentHint: hint })
const annotations = hints.map((all) => JSON.parse(JSON.stringify(all)) as Record<string, boolean | string | null>)
const effects = fc.subarray(ToolEffect.options)

describe('the effects of a tool', () => {
  test("the operator's declaration comes first, then a trusted server's, then inference, then the worst case", () => {
    const said = { readOnlyHint: true }
    expect(effectsOf(['privileged'], said, true, ['write'])).toEqual({
      effects: ['privileged'],
      effects_from: 'configured',
    })
    expect(effectsOf(undefined, said, true, ['write'])).toEqual({ effects: ['read'], effects_from: 'annotated' })
    expect(effectsOf(undefined, said, false, ['write'])).toEqual({ effects: ['write'], effects_from: 'inferred' })
    expect(effectsOf(undefined, said, false)).toEqual({ effects: ['write', 'external'], effects_from: 'unknown' })
    expect(effectsOf([], undefined, true, [])).toEqual({ effects: ['write', 'external'], effects_from: 'unknown' })
  })

  const cases = [
    [{ readOnlyHint: true }, ['read']],
    [{ readOnlyHint: true, openWorldHint: true }, ['read']],
    [{ readOnlyHint: true, openWorldHint: false }, ['read']],
    [{ readOnlyHint: true, destructiveHint: true }, ['read', 'destructive']],
    [{ readOnlyHint: false }, ['write', 'destructive', 'external']],
    [{ destructiveHint: false }, ['write', 'external']],
    [{ destructiveHint: false, openWorldHint: false }, ['write']],
    [{ openWorldHint: false }, ['write', 'destructive']],
    [{ readOnlyHint: 'true', openWorldHint: false }, ['write', 'destructive']],
  ] as const
  for (const [said, meant] of cases) {
    test(`a trusted server that says ${JSON.stringify(said)} means ${meant.join(' and ')}`, () =>
      expect(effectsOf(undefined, said, true)).toEqual({ effects: meant, effects_from: 'annotated' }))
  }

  test('annotations without effect hints say nothing', () => {
    for (const silent of [{}, { title: 'T' }, { idempotentHint: true }, { readOnlyHint: 'yes' }])
      expect(effectsOf(undefined, silent, true).effects_from).toBe('unknown')
  })

  test.each([
    [{ readOnlyHint: false }, ['read'], ['write', 'external']],
    [{ readOnlyHint: false, destructiveHint: true }, ['read'], ['write', 'external', 'destructive']],
    [{ readOnlyHint: true, destructiveHint: true }, ['read'], ['write', 'external', 'destructive']],
    [{ destructiveHint: true }, ['write'], ['write', 'destructive']],
    [{ openWorldHint: true }, ['write'], ['write', 'external']],
    [{ openWorldHint: true }, ['read'], ['read']],
    [{ readOnlyHint: true, openWorldHint: true }, ['read'], ['read']],
    [
      { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
      ['write', 'external'],
      ['write', 'external'],
    ],
    [{ readOnlyHint: false }, [], ['write', 'external']],
    [{ readOnlyHint: false }, ['read', 'privileged'], ['write', 'external', 'privileged']],
  ] as const)('an untrusted server that says %j changes %j to %j', (said, inferred, meant) => {
    expect(new Set(effectsOf(undefined, said, false, inferred).effects)).toEqual(new Set(meant))
  })

  test("law: an untrusted server's annotations never lower the class, and never make a read", () =>
    fc.assert(
      fc.property(annotations, fc.option(effects, { nil: undefined }), (said, inferred) => {
        const without = effectsOf(undefined, undefined, false, inferred)
        const known = effectsOf(undefined, said, false, inferred)
        const rank = (of: readonly ToolEffect[]) => RiskClass.options.indexOf(riskClassOf(of, []))
        expect(rank(known.effects)).toBeGreaterThanOrEqual(rank(without.effects))
        for (const effect of without.effects) if (effect !== 'read') expect(known.effects).toContain(effect)
        if (!without.effects.includes('read')) expect(known.effects).not.toContain('read')
        expect(idempotentOf(undefined, said, false, known)).toBe(false)
      }),
    ))
})

describe('the risk class', () => {
  test('matches the table in the spec', () => {
    expect(riskClassOf(['read'], [])).toBe('low')
    expect(riskClassOf(['read', 'write'], ['internal'])).toBe('medium')
    expect(riskClassOf(['external'], [])).toBe('high')
    expect(riskClassOf(['read', 'external'], [])).toBe('high')
    expect(riskClassOf(['destructive', 'write'], [])).toBe('high')
    expect(riskClassOf(['read', 'privileged'], [])).toBe('critical')
    expect(riskClassOf(['read'], ['production'])).toBe('critical')
  })

  test('no effect at all is not harmless', () => expect(riskClassOf([], [])).toBe('high'))

  test('law: more effects or tags never lower it', () => {
    const rank = (risk: RiskClass) => RiskClass.options.indexOf(risk)
    const tags = fc.array(fc.constantFrom('production', 'test'))
    fc.assert(
      fc.property(fc.subarray(ToolEffect.options, { minLength: 1 }), effects, tags, tags, (some, more, few, others) => {
        const least = rank(riskClassOf(some, few))
        expect(rank(riskClassOf([...some, ...more], [...few, ...others]))).toBeGreaterThanOrEqual(least)
      }),
    )
  })
})

describe('running again after a crash', () => {
  test('the operator decides, then a trusted server, then whether it only reads', () => {
    const reads = { effects: ['read'], effects_from: 'configured' } as const
    const writes = { effects: ['write'], effects_from: 'configured' } as const
    expect(idempotentOf(false, { idempotentHint: true }, true, reads)).toBe(false)
    expect(idempotentOf(true, undefined, false, writes)).toBe(true)
    expect(idempotentOf(undefined, { idempotentHint: true }, true, writes)).toBe(true)
    expect(idempotentOf(undefined, { idempotentHint: true }, false, writes)).toBe(false)
    expect(idempotentOf(undefined, undefined, false, reads)).toBe(true)
    expect(
      idempotentOf(undefined, undefined, false, { effects: ['read', 'external'], effects_from: 'configured' }),
    ).toBe(false)
  })

  test('a read that was only inferred is not run again', () =>
    expect(idempotentOf(undefined, undefined, true, { effects: ['read'], effects_from: 'inferred' })).toBe(false))
})

describe('effects of a tool whose hints the gate derived from an HTTP method', () => {
  const cases: [ToolEffect[], JsonObject | undefined, ToolEffect[]][] = [
    [['read'], { readOnlyHint: true }, ['read']],
    [['write'], { readOnlyHint: true }, ['write']],
    [['read'], { readOnlyHint: false }, ['write', 'external']],
    [[], { readOnlyHint: false }, ['write', 'external']],
    [['write'], { readOnlyHint: false }, ['write']],
    [['read'], { readOnlyHint: false, destructiveHint: true }, ['write', 'external', 'destructive']],
    [['write'], { readOnlyHint: false, destructiveHint: true }, ['write', 'destructive']],
    [['read'], undefined, ['read']],
  ]
  test.each(cases)('inferred %j, hinted %j: %j', (inferred, hints, effects) =>
    expect(new Set(effectsOf(undefined, hints, false, inferred).effects)).toEqual(new Set(effects)),
  )
})
