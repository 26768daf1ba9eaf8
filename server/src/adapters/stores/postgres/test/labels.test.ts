import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isWhole } from '../../../../../test/helpers/postgres-stores.ts'
import { openNodes, type Node, type Nodes } from '../../../../../test/helpers/with-nodes.ts'
import { hasPostgres } from '../../../../../test/helpers/with-postgres.ts'

const letters = (effects: string) => ({
  book: {
    command: 'node',
    args: [resolve(import.meta.dirname, '../../../../../test/tool-servers/letters.ts')],
    env: { EFFECTS: effects },
    tools: {
      read_letter: { effects: ['read'] },
      send_letter: { effects: ['write', 'external'], content: { pii: 'off' } },
    },
  },
})

describe.skipIf(!hasPostgres || !isWhole)('what a session has read, on two nodes with one Postgres', () => {
  let nodes: Nodes
  let [one, other]: [Node?, Node?] = []
  let agent = ''
  beforeAll(async () => {
    const rules = [{ id: 'all', effect: 'allow', match: { tool: '*' }, says: 'provenance does the asking' }]
    nodes = await openNodes({ policy: { rules } }, undefined, letters)
    one = await nodes.start()
    other = await nodes.start()
    agent = await one.key('agent', 'clerk', 'ana')
  }, 120_000)
  afterAll(() => nodes.stop())

  let count = 0
  const call = async (node: Node | undefined, thread: string, tool: string, args: object) => {
    const { body } = await (node as Node).http('POST', '/v1/calls', agent, { tool: `book__${tool}`, args, thread })
    return body
  }
  const send = (node: Node | undefined, thread: string) =>
    call(node, thread, 'send_letter', { to: 'eve@evil.example', text: `hello ${(count += 1)}` })

  test('after a letter was read on one node, the next call with an effect on the other is held, even if its session was in memory there', async () => {
    expect(await send(other, 'clean')).toMatchObject({ status: 'executed' })
    expect(await send(other, 'mine')).toMatchObject({ status: 'executed' })
    expect(await call(one, 'mine', 'read_letter', { letter: '2' })).toMatchObject({ status: 'executed' })
    const held = await send(other, 'mine')
    expect(held).toMatchObject({ status: 'pending' })
    expect(JSON.stringify(held['evidence'])).toContain('provenance.')
    expect(await send(other, 'clean')).toMatchObject({ status: 'executed' })
  })

  test('an answer that is read again on the other node is recorded in the session of its reader, on both nodes', async () => {
    const { call_id } = await call(one, 'first', 'read_letter', { letter: '2' })
    const again = await (other as Node).http('GET', `/v1/calls/${String(call_id)}?session=second`, agent)
    expect(again.body).toMatchObject({ status: 'executed' })
    expect(await send(one, 'second')).toMatchObject({ status: 'pending' })
    expect(await send(other, 'second')).toMatchObject({ status: 'pending' })
  })
})
