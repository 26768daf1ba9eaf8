import { expect, test } from 'vitest'
import { canonicalJson } from './canonical.ts'
import { parseIJson } from './parse-ijson.ts'
import { describeVectors, linesOf, rowsOf } from './conformance-data.suite.ts'

type Pair = { name: string; input: string; output: string; output_hex: string }

/** What the gate hashes for a text it was sent. */
function canonicalBytes(text: string): string {
  const read = parseIJson(text)
  if (!read.ok) return JSON.stringify(read.problem)
  const printed = canonicalJson(read.value)
  return printed.ok ? Buffer.from(printed.value).toString('hex') : JSON.stringify(printed.problem)
}

function doubleOf(hex: string): number {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(`0x${hex}`))
  return bytes.readDoubleBE()
}

describeVectors('RFC 8785', () => {
  test('every pair is reproduced byte for byte', () => {
    const pairs = rowsOf('jcs/pairs.jsonl.gz') as readonly Pair[]
    expect(pairs).toHaveLength(6)
    const wrong = pairs.filter(
      ({ input, output, output_hex }) =>
        canonicalBytes(input) !== output_hex || Buffer.from(output).toString('hex') !== output_hex,
    )
    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  test('every canonical output is its own canonical form', () => {
    const pairs = rowsOf('jcs/pairs.jsonl.gz') as readonly Pair[]
    const wrong = pairs.filter(({ output, output_hex }) => canonicalBytes(output) !== output_hex)
    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  test('every one of ten thousand numbers is printed as published, and its print is read back as the same double', () => {
    const numbers = linesOf('jcs/numbers_10000.csv.gz').map((line) => line.split(','))
    expect(numbers).toHaveLength(10_000)
    const wrong = numbers.filter(([hex = '', expected = '']) => {
      const double = doubleOf(hex)
      const printed = canonicalJson(double)
      const read = parseIJson(expected)
      // Canonical JSON has one zero, so the negative one is not read back.
      const isSame = read.ok && (Object.is(read.value, double) || double === 0)
      return !printed.ok || printed.value !== expected || !isSame
    })
    expect(wrong).toEqual([])
  })
})
