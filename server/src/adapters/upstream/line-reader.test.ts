import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineReader, type Overlong } from './line-reader.ts'

function reading(limits: { line: number; endless: number }) {
  const lines: string[] = []
  const overlong: Overlong[] = []
  const endless: Overlong[] = []
  const reader = lineReader(limits, {
    line: (bytes) => lines.push(bytes.toString()),
    overlong: (line) => overlong.push(line),
    endless: (line) => endless.push(line),
  })
  return { reader, lines, overlong, endless, push: (text: string) => reader.push(Buffer.from(text)) }
}

describe('the line reader', () => {
  test('law: however the bytes are split, the lines are the same', () => {
    const text = fc.array(fc.string({ unit: fc.constantFrom('a', '€', '"', '\r', ' '), maxLength: 12 }), {
      maxLength: 8,
    })
    fc.assert(
      fc.property(text, fc.array(fc.nat(200)), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        const { reader, ...output } = reading({ line: 20, endless: 1_000 })
        const places = [
          0,
          ...cuts.map((cut) => cut % (bytes.length + 1)).sort((one, other) => one - other),
          bytes.length,
        ]
        places.slice(1).forEach((to, index) => reader.push(bytes.subarray(places[index], to)))
        const sizes = lines.map((line) => Buffer.byteLength(line))
        expect(output.lines).toEqual(lines.filter((_, index) => sizes[index] !== 0 && (sizes[index] ?? 0) <= 20))
        expect(output.overlong.map(({ bytes: size }) => size)).toEqual(sizes.filter((size) => size > 20))
      }),
    )
  })

  test('a line of exactly the limit is a line', () => {
    const { push, lines, overlong } = reading({ line: 5, endless: 50 })
    push('12345\n123456\nabc\n')
    expect([lines, overlong.map(({ bytes }) => bytes)]).toEqual([['12345', 'abc'], [6]])
  })

  test('of a line over the limit both ends are kept and nothing between', () => {
    const { push, overlong, reader } = reading({ line: 1_000, endless: 100_000 })
    push(`HEAD${'x'.repeat(2_000)}`)
    expect(reader.isSkipping()).toBe(true)
    for (let n = 0; n < 20; n += 1) push('y'.repeat(500))
    push('TAIL\n')
    expect(overlong[0]?.head).toBe(`HEAD${'x'.repeat(252)}`)
    expect(overlong[0]?.tail).toBe(`${'y'.repeat(252)}TAIL`)
    expect(reader.isSkipping()).toBe(false)
  })

  test('skipped bytes are not retained: the sender may reuse its buffer', () => {
    const { reader, overlong } = reading({ line: 1_000, endless: 100_000 })
    const buffer = Buffer.alloc(2_000, 'a')
    for (const letter of ['b', 'c', '\n']) {
      reader.push(buffer)
      buffer.fill(letter)
    }
    reader.push(buffer)
    expect(overlong).toEqual([{ head: 'a'.repeat(256), tail: 'c'.repeat(256), bytes: 6_000 }])
  })

  test('an endless line is reported once, and nothing is read afterwards', () => {
    const { push, endless, lines } = reading({ line: 10, endless: 100 })
    for (let n = 0; n < 50; n += 1) push('z'.repeat(10))
    push('\nlater\n')
    expect([endless.length, lines]).toEqual([1, []])
  })
})
