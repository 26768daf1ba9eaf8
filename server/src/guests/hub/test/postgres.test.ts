import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openNodes, type Node, type Nodes } from '../../../../test/helpers/with-nodes.ts'
import { isWhole } from '../../../../test/helpers/postgres-stores.ts'
import { hasPostgres } from '../../../../test/helpers/with-postgres.ts'
import { kill, openPair, type Pair } from './with-hub.suite.ts'

const MINUTES = 120_000

/** By `npm run test:cluster`. */
describe.skipIf(!hasPostgres || !isWhole)('a hub of two gates on one database', () => {
  let gates: Nodes
  let first: Node
  let second: Node
  let pair: Pair
  beforeAll(async () => {
    // Both gates have the key that signs.
    gates = await openNodes({}, undefined, undefined, 'shared')
    first = await gates.start()
    second = await gates.start()
    pair = await openPair({ started: first })
  }, MINUTES)
  afterAll(async () => {
    await pair.close()
    await gates.stop()
  }, MINUTES)
  const wrote = (text: string) => pair.effects().filter((line) => line.includes(text)).length

  test(
    'a request that one gate stored is decided at the other, and the node that waits at the first gets the decision',
    async () => {
      const { call_id } = await pair.hold('decided at the other')
      const { approval_id } = await pair.atHub('decided at the other')
      expect(await second.approve(approval_id, pair.approver)).toMatchObject({ status: 200 })
      await pair.becomes(call_id, 'executed')
      expect(wrote('decided at the other')).toBe(1)
    },
    MINUTES,
  )

  test(
    'the gate that accepted the request is killed: the node continues with the other, and executes once',
    async () => {
      const { call_id } = await pair.hold('over a dead hub')
      const { approval_id } = await pair.atHub('over a dead hub')
      await kill(first)
      pair.hub = second
      pair.between.lead(second.url)
      expect(await second.approve(approval_id, pair.approver)).toMatchObject({ status: 200 })
      await pair.becomes(call_id, 'executed')
      expect(wrote('over a dead hub')).toBe(1)
      const outcome = async () => (await pair.audit(second, 'node.outcome')).map(({ subject }) => subject['approval'])
      await expect.poll(outcome, { timeout: MINUTES, interval: 100 }).toContain(approval_id)
      for (const gate of [second, pair.node]) expect((await gate.cli('audit', 'verify')).code).toBe(0)
    },
    MINUTES,
  )
})
