import { expect, test } from 'vitest'
import { textKey } from './text-key.ts'

const IDENTITY = '["mcp:TDhIOjeQq02sE_SC.dEvNf6uFbbP1aXZv","desk__read","13e8dd7d348aed9e"]'

test('keys in indexes never change', () => {
  const KEYS: readonly (readonly [string, number])[] = [
    ['', 3012557358922763],
    ['a', 466240619458995],
    ['é 😀', 841900292260419],
    ['\ud800', 1534829501789934],
    [IDENTITY, 2936737671500174],
  ]
  for (const [text, key] of KEYS) expect(textKey(text)).toBe(key)
})

test('texts with the same beginning get adjacent keys, and of ten thousand hardly two are equal', () => {
  const keys = Array.from({ length: 10_000 }, (_, at) => textKey(`${IDENTITY} ${at}`))
  expect(new Set(keys.map((key) => Math.floor(key / 2 ** 32)))).toEqual(
    new Set([Math.floor(textKey(IDENTITY) / 2 ** 32)]),
  )
  expect(new Set(keys).size).toBeGreaterThan(9_990)
  expect(keys.every((key) => Number.isSafeInteger(key) && key >= 0)).toBe(true)
})
