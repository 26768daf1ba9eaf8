import { expect, test } from 'vitest'
import { aboutWith, KERNEL_PROBLEMS, problem, problemsOf, specOf, type Problem, type ProblemSpec } from './problems.ts'

const spec = { http: 418, retry: 'never', says: 'it is a teapot', do: 'ask another pot' } as const
const brewing = problemsOf<Record<string, ProblemSpec>>({ 'teapot.short': spec })
const stout = brewing.problem('teapot.short' as never, { handle: 'here' })

test('a problem of a guest brings what it means, also with other words about it', () => {
  expect(specOf(stout)).toBe(spec)
  expect(specOf(aboutWith(stout, { spout: 'there' }))).toBe(spec)
  expect(aboutWith(stout, { spout: 'there' }).about).toEqual({ spout: 'there' })
  expect(specOf(brewing.problem('call.blocked'))).toBe(KERNEL_PROBLEMS['call.blocked'])
})

test('a problem is compared, stored and sent as its code and what it is about', () => {
  expect(JSON.parse(JSON.stringify(stout))).toStrictEqual({ code: 'teapot.short', about: { handle: 'here' } })
  expect(stout).toEqual({ code: 'teapot.short', about: { handle: 'here' } })
})

test('a code that this build does not know is an internal error', () => {
  for (const code of ['teapot.gone', 'constructor'])
    expect(specOf({ ...problem('call.blocked'), code } as unknown as Problem)).toBe(KERNEL_PROBLEMS.internal)
})
