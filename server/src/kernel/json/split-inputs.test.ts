import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { INPUTS_KEY } from '../approvals/asks.ts'
import { canonicalJson } from './canonical.ts'
import { sendableArgs, splitInputs } from './split-inputs.ts'

const canonicalOf = (value: unknown) => {
  const canonical = canonicalJson(value as never)
  if (!canonical.ok) throw new Error('not canonical')
  return canonical.value
}
const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 2 }).map(tidy))
/** JSON has no -0 and no lone surrogates here. */
function tidy(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/\\ud[89a-f][0-9a-f]{2}/gi, ''))
}

test('arguments without answers are sent byte for byte', () => {
  fc.assert(
    fc.property(object, (args) => {
      const whole = canonicalOf(args)
      expect(sendableArgs(whole)).toEqual({ canonical_args: whole })
    }),
  )
})

test('arguments and answers are each sent in canonical form, and together they are what was hashed', () => {
  fc.assert(
    fc.property(
      object,
      fc.dictionary(fc.string({ unit: 'grapheme' }), object),
      fc.option(fc.string()),
      (args, responses, state) => {
        const inputs = { responses, ...(state === null ? {} : { state: tidy(state) as string }) }
        const whole = canonicalOf({ ...args, [INPUTS_KEY]: inputs })
        const sent = sendableArgs(whole)
        expect(sent.canonical_args).toBe(canonicalOf(args))
        expect(sent.inputs?.canonical_responses).toBe(canonicalOf(responses))
        const again = {
          responses: JSON.parse(sent.inputs?.canonical_responses ?? ''),
          ...(sent.inputs?.state === undefined ? {} : { state: sent.inputs.state }),
        }
        expect(canonicalOf({ ...JSON.parse(sent.canonical_args), [INPUTS_KEY]: again })).toBe(whole)
      },
    ),
  )
})

test.each([
  null,
  'yes',
  [],
  {},
  { responses: 'yes' },
  { responses: { name: 'Ana' } },
  { responses: {}, state: 1 },
  { responses: {}, more: 1 },
])('answers of another format are rejected: %j', (given) => {
  expect(splitInputs({ [INPUTS_KEY]: given })).toMatchObject({ ok: false, problem: { code: 'call.args_invalid' } })
})
