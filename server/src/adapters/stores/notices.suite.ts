import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Notices, Origin, Topics } from '../../kernel/ports/notices.ts'
import { callId } from './ledger-fixtures.suite.ts'

export type Node = Notices & { leave(): void | Promise<void> }

/** What an implementation provides to the suite. */
export type NoticesUnderTest = {
  /** Nodes that share one store. */
  readonly join: (count: number) => Promise<readonly Node[]>
  /** Resolves when everything that was published has arrived. */
  readonly settled: () => Promise<void>
}

const cancel = (number: number): Topics['cancel'] => ({ call_id: callId(number), by: 'agent:a' })

/** Every implementation of Notices passes this. Tests of a single one go in its own test file. */
export function noticesSuite(name: string, { join, settled }: NoticesUnderTest): void {
  describe(`${name} notices`, () => {
    let nodes: readonly Node[] = []
    beforeEach(async () => {
      nodes = await join(3)
    })
    afterEach(async () => {
      for (const node of nodes) await node.leave()
    })
    const nodeAt = (index: number): Node => {
      const node = nodes[index]
      if (node === undefined) throw new Error('no such node')
      return node
    }
    function listen(node: Node) {
      const received: (readonly [string, Origin])[] = []
      const stop = node.subscribe('cancel', ({ call_id }, origin) => void received.push([call_id, origin]))
      return { received, stop }
    }

    test('reach every node once, and say whether they are its own', async () => {
      const all = nodes.map(listen)
      nodeAt(1).publish('cancel', cancel(1))
      await settled()
      expect(all.map(({ received }) => received)).toEqual([
        [[callId(1), 'elsewhere']],
        [[callId(1), 'here']],
        [[callId(1), 'elsewhere']],
      ])
    })

    test('have reached the listeners of their own node when publish returns', () => {
      const { received } = listen(nodeAt(0))
      nodeAt(0).publish('cancel', cancel(1))
      expect(received).toEqual([[callId(1), 'here']])
    })

    test('of one node arrive in the order in which they were published', async () => {
      const { received } = listen(nodeAt(2))
      const numbers = Array.from({ length: 200 }, (_, index) => index)
      for (const number of numbers) nodeAt(0).publish('cancel', cancel(number))
      await settled()
      expect(received.map(([id]) => id)).toEqual(numbers.map((number) => callId(number)))
    })

    test('go only to the listeners of their topic, as published', async () => {
      const seen: unknown[] = []
      nodeAt(1).subscribe('catalogue', (notice) => void seen.push(notice))
      const { received } = listen(nodeAt(1))
      nodeAt(0).publish('catalogue', { server: 'mail', tool_ids: ['mail__send', 'mail__☃'] })
      nodeAt(0).publish('rows', [{ table: 'calls', id: 'x' }])
      await settled()
      expect(seen).toEqual([{ server: 'mail', tool_ids: ['mail__send', 'mail__☃'] }])
      expect(received).toEqual([])
    })

    test('are not delivered after stopping, and a stop ends one subscription of two', async () => {
      const [first, second] = [listen(nodeAt(1)), listen(nodeAt(1))]
      first.stop()
      nodeAt(0).publish('cancel', cancel(1))
      await settled()
      expect([first.received.length, second.received.length]).toEqual([0, 1])
      first.stop()
      nodeAt(0).publish('cancel', cancel(2))
      await settled()
      expect(second.received).toHaveLength(2)
    })

    test('reach the others if a listener throws, and publish does not throw', async () => {
      nodeAt(0).subscribe('cancel', () => {
        throw new Error('deaf')
      })
      nodeAt(1).subscribe('cancel', () => {
        throw new Error('this listener fails')
      })
      const all = nodes.map(listen)
      nodeAt(0).publish('cancel', cancel(1))
      await settled()
      expect(all.map(({ received }) => received.length)).toEqual([1, 1, 1])
    })

    test('may be published by a listener, and one that stops while it is called stops nobody else', async () => {
      const { received } = listen(nodeAt(2))
      const stop = nodeAt(1).subscribe('policy', () => {
        stop()
        nodeAt(1).publish('cancel', cancel(7))
      })
      nodeAt(0).publish('policy', { version: 'v' })
      nodeAt(0).publish('policy', { version: 'w' })
      await settled()
      expect(received).toEqual([[callId(7), 'elsewhere']])
    })

    test('that are large arrive, or the other nodes learn that something is missing', async () => {
      const counts = { missed: 0, rows: 0 }
      nodeAt(1).onMissed(() => void (counts.missed += 1))
      nodeAt(1).subscribe('rows', (rows) => void (counts.rows += rows.length))
      const rows = Array.from({ length: 5_000 }, (_, index) => ({ table: 'calls' as const, id: callId(index) }))
      nodeAt(0).publish('rows', rows)
      await settled()
      expect(counts.missed > 0 || counts.rows === rows.length).toBe(true)
    })

    test('do not reach a node that has left', async () => {
      const { received } = listen(nodeAt(2))
      await nodeAt(2).leave()
      nodeAt(0).publish('cancel', cancel(1))
      await settled()
      expect(received).toEqual([])
    })
  })
}
