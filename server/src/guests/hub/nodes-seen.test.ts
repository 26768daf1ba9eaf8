import { expect, test } from 'vitest'
import { nodesSeen } from './nodes-seen.ts'

const NODE = { kind: 'node', id: 'node:edge-1', user: 'edge-1' } as const

test('a node was seen when its newest message was sent, which is never in the future', () => {
  const seen = nodesSeen(() => 1_000)
  expect(seen.at(NODE)).toBeUndefined()
  seen.note(NODE, 400)
  expect(seen.at(NODE)).toBe(400)
  seen.note(NODE, 300)
  expect(seen.at(NODE)).toBe(400)
  seen.note(NODE, 5_000)
  expect(seen.at(NODE)).toBe(1_000)
})

test('two nodes of one name and different users are seen separately', () => {
  const seen = nodesSeen(() => 1_000)
  seen.note(NODE, 400)
  expect(seen.at({ ...NODE, user: 'mallory' })).toBeUndefined()
})
