import { expect, test } from 'vitest'
import { parseIJson } from './parse-ijson.ts'
import { describeVectors, rowsOf } from './conformance-data.suite.ts'

type Vector = { name: string; expect: 'accept' | 'reject' | 'either' | 'transform'; b64: string }

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Undefined when accepted, else why not: bytes that are not UTF-8 never reach the parser. */
function refusalOf(vector: Vector): string | undefined {
  try {
    const read = parseIJson(utf8.decode(Buffer.from(vector.b64, 'base64')))
    return read.ok ? undefined : read.problem.about['what']
  } catch (error) {
    if (error instanceof TypeError) return 'not UTF-8'
    throw error
  }
}

function outcomes(wanted: Vector['expect']): readonly { name: string; refusal: string | undefined }[] {
  const all = rowsOf('json-parsing/nst.jsonl.gz') as readonly Vector[]
  return all
    .filter((vector) => vector.expect === wanted)
    .map((vector) => ({ name: vector.name, refusal: refusalOf(vector) }))
}

describeVectors('JSONTestSuite', () => {
  test('everything that must be accepted is accepted, except the duplicate keys that I-JSON forbids', () => {
    const all = outcomes('accept')
    expect(all).toHaveLength(95)
    expect(all.filter(({ refusal }) => refusal !== undefined)).toEqual([
      { name: 'y_object_duplicated_key.json', refusal: 'duplicate_key' },
      { name: 'y_object_duplicated_key_and_value.json', refusal: 'duplicate_key' },
    ])
  })

  test('everything that must be rejected is rejected, for the right reason', () => {
    const all = outcomes('reject')
    expect(all).toHaveLength(188)
    const reasons = ['syntax', 'depth', 'lone_surrogate', 'not UTF-8']
    expect(all.filter(({ refusal }) => refusal === undefined || !reasons.includes(refusal))).toEqual([])
  })

  test('optional cases get an answer, and are rejected if I-JSON forbids them', () => {
    const all = outcomes('either')
    expect(all).toHaveLength(35)
    expect(all.filter(({ refusal }) => refusal === undefined).map(({ name }) => name)).toEqual([
      'i_number_too_big_pos_int.json',
      'i_structure_500_nested_arrays.json',
    ])
  })

  test('texts that parsers transform differently get an answer, and different spellings of one key are rejected', () => {
    const all = outcomes('transform')
    expect(all).toHaveLength(22)
    const duplicates = all.filter(({ refusal }) => refusal === 'duplicate_key').map(({ name }) => name)
    expect(duplicates.toSorted()).toEqual([
      'object_same_key_different_values.json',
      'object_same_key_same_value.json',
      'object_same_key_unclear_values.json',
    ])
  })
})
