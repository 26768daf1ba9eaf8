import { randomBytes } from 'node:crypto'
import type { Notices, Topic, Topics } from '../../kernel/ports/notices.ts'
import { createListeners } from './listeners.ts'

/** How many notices wait to be sent at most; beyond it, the others learn that something is missing. */
const MOST_WAITING = 10_000
/** Postgres's NOTIFY accepts less than 8,000 bytes. */
const MOST_BYTES = 7_800

/** What is sent: the node, the number of the notice there, and the notice, or nothing if it was left out. */
type Sent = readonly [node: string, number: number, topic?: Topic, notice?: unknown]

export type WiredNotices = Notices & {
  /** Something arrived, possibly this node's own. */
  receive(payload: string): void
  /** Something may be missing. `isAll`: the numbers of the other nodes are no longer known. */
  missed(isAll?: boolean): void
  /** Resolves when everything published before is on its way. */
  sent(): Promise<void>
  /** What is published from now on reaches only this node. */
  leave(): void
}

/** Notices over a wire. `send` may lose some: the numbers tell the others that some are missing. */
export function wiredNotices(send: (payloads: readonly string[]) => Promise<void>): WiredNotices {
  const node = randomBytes(6).toString('hex')
  const book = createListeners()
  const lastOf = new Map<string, number>()
  let waiting: string[] = []
  let number = 0
  let hasLeft = false
  let sending: Promise<void> | undefined

  const sendAll = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      await send(batch).catch(() => undefined)
    }
    sending = undefined
  }

  return {
    publish(topic, notice) {
      book.notify(topic, notice, 'here')
      if (hasLeft) return
      for (const part of partsOf(topic, notice)) {
        number += 1
        waiting.push(JSON.stringify([node, number, ...part] satisfies Sent))
      }
      if (waiting.length > MOST_WAITING) waiting = [JSON.stringify([node, (number += 1)] satisfies Sent)]
      sending ??= new Promise<void>((turn) => setImmediate(turn)).then(sendAll)
    },
    subscribe: (topic, listener) => book.subscribe(topic, listener),
    onMissed: (listener) => book.onMissed(listener),
    receive(payload) {
      const sent = sentOf(payload)
      if (sent === undefined) return book.missed()
      const [from, count, topic, notice] = sent
      if (from === node) return
      const last = lastOf.get(from)
      lastOf.set(from, Math.max(last ?? 0, count))
      // The first notice from a node: this node has missed nothing of it since it started listening.
      if ((last !== undefined && count !== last + 1) || topic === undefined) book.missed()
      if (topic !== undefined) book.notify(topic, notice as Topics[Topic], 'elsewhere')
    },
    missed(isAll = true) {
      if (isAll) lastOf.clear()
      book.missed()
    },
    async sent() {
      await sending
    },
    leave: () => void (hasLeft = true),
  }
}

/** Splits a notice into parts that fit, or only a number. */
function partsOf<T extends Topic>(topic: T, notice: Topics[T]): readonly (readonly [Topic, unknown] | readonly [])[] {
  if (fits(notice)) return [[topic, notice]]
  if (!Array.isArray(notice) || notice.length < 2) return [[]]
  const half = Math.ceil(notice.length / 2)
  const [left, right] = [notice.slice(0, half), notice.slice(half)] as unknown as [Topics[T], Topics[T]]
  return [...partsOf(topic, left), ...partsOf(topic, right)]
}

const fits = (notice: unknown): boolean => Buffer.byteLength(JSON.stringify(notice)) < MOST_BYTES

function sentOf(payload: string): Sent | undefined {
  try {
    const [node, number, topic, notice] = JSON.parse(payload) as readonly unknown[]
    if (typeof node !== 'string' || typeof number !== 'number') return undefined
    return topic === undefined ? [node, number] : [node, number, topic as Topic, notice]
  } catch {
    return undefined
  }
}
