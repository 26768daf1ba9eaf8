import { expect, test } from 'vitest'
import { hmacSha256, sameBytes } from './hmac.ts'
import { describeVectors, rowsOf } from '../../kernel/json/conformance-data.suite.ts'

type Vector = { tcId: number; tagSizeBits: number; key: string; msg: string; tag: string; result: 'valid' | 'invalid' }

describeVectors('Wycheproof HMAC-SHA256', () => {
  test('every vector is judged as published, truncated tags by their first bytes', () => {
    const vectors = rowsOf('hmac/wycheproof_hmac_sha256.jsonl.gz') as readonly Vector[]
    expect(vectors).toHaveLength(174)
    const wrong = vectors.filter(({ key, msg, tag, tagSizeBits, result }) => {
      const full = hmacSha256(Buffer.from(key, 'hex'), Buffer.from(msg, 'hex'))
      const isValid = sameBytes(full.subarray(0, tagSizeBits / 8), Buffer.from(tag, 'hex'))
      return isValid !== (result === 'valid')
    })
    expect(wrong.map(({ tcId }) => tcId)).toEqual([])
    expect(vectors.filter(({ result }) => result === 'valid')).toHaveLength(66)
  })
})
