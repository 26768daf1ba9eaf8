import { expect, test } from 'vitest'
import { inferEffects } from './infer-effects.ts'

test.each([
  ['get_lock', 'Gets a lock on the resource'],
  ['retrieve_funds', 'Retrieves funds from escrow to the seller'],
  ['query_mutation', 'Runs a GraphQL document'],
  ['explain_analyze', 'Runs EXPLAIN ANALYZE on a statement'],
])('`%s` is not a read: %s', (name, description) => {
  const { effects } = inferEffects({ name, description, inputSchema: { type: 'object' } })
  expect(effects).not.toEqual(['read'])
})
