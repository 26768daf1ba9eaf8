import { expect, test } from 'vitest'
import { countsMoreValues } from './count-values.ts'

test('values are counted by meaning: commas and brackets inside strings do not count, fields count six times', () => {
  const list = (length: number) => JSON.stringify(Array.from({ length }, () => 'a, "[{:\\'))
  expect(countsMoreValues(list(10), 10)).toBe(false)
  expect(countsMoreValues(list(11), 10)).toBe(true)
  const fields = (length: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length }, (_, at) => [`k${at}`, 1])))
  expect(countsMoreValues(fields(10), 60)).toBe(false)
  expect(countsMoreValues(fields(11), 60)).toBe(true)
  expect(countsMoreValues('[[[[[[[[[[[[', 10)).toBe(true)
  expect(countsMoreValues(`"${','.repeat(100)}"`, 10)).toBe(false)
})
