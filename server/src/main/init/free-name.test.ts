import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { freeName } from './plan-import.ts'

test.each([
  ['My_Server', 'my-server'],
  ['  @scope/Pkg  ', 'scope-pkg'],
  ['Über', 'u-ber'],
  ['___', 'server'],
  ['x'.repeat(40), 'x'.repeat(32)],
  ['taken', 'taken-2'],
])('%s is called %s', (wished, name) => expect(freeName(wished, new Set(['taken']))).toBe(name))

test('LAW: a free name is a valid name and not taken', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (wished, more) => {
      const taken = new Set([...more, freeName(wished, new Set())])
      const name = freeName(wished, taken)
      expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,31}$/)
      expect(taken.has(name)).toBe(false)
    }),
  ))
