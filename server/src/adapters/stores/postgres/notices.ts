import type { Client } from 'pg'
import type { Notices, Topic, Topics } from '../../../kernel/ports/notices.ts'
import { ok, type Result } from '../../../kernel/contract/problems.ts'
import type { RedisWire } from '../redis/wire.ts'
import { connect, unreachable, type PostgresAddress } from './connect.ts'
import { randomBytes } from 'node:crypto'
import { createListeners } from '../listeners.ts'

export type OpenNoticeWire = (callbacks: {
  readonly receive: (payload: string) => void
  readonly onBack: () => void
}) => Promise<RedisWire>

export type JoinedNotices = Notices & {
  /** Resolves when everything published before is on its way, and everything that arrived was delivered. */
  settled(): Promise<void>
  leave(): Promise<void>
}

const AGAIN_MS = 250
/** How often a node without a connection to Redis reads what others may have changed. */
const POLL_MS = 1_000

/**
 * Notices among nodes by NOTIFY, on a channel of the schema. Two connections: one listens, one sends. With Redis, notices are sent
 * through Redis while it accepts them, otherwise by NOTIFY; every node listens to both.
 */
export async function joinNotices(
  address: PostgresAddress,
  openRedis?: OpenNoticeWire,
): Promise<Result<JoinedNotices>> {
  const channel = `sluice_${address.schema}`
  let hasLeft = false
  let listener: Client | undefined
  let sender: Client | undefined

  const notify = async (batch: readonly string[]): Promise<void> => {
    try {
      sender ??= await connect(address, 'notices')
      await sender.query({ name: 'notify', text: NOTIFY, values: [channel, batch] })
    } catch (error) {
      const broken = sender
      sender = undefined
      await broken?.end().catch(() => undefined)
      throw error
    }
  }
  const wired = wiredNotices(async (batch) => {
    if ((await redis?.send(batch)) !== true) await notify(batch)
  })
  const redis: RedisWire | undefined = await openRedis?.({ receive: wired.receive, onBack: () => wired.missed() })
  // Other nodes do not know that this one receives nothing from Redis.
  const poll = setInterval(() => {
    if (redis?.canReceive() === false) wired.missed()
  }, POLL_MS)
  poll.unref()

  const listen = async (): Promise<void> => {
    const client = await connect(address, 'notices', { query_timeout: 0 })
    client.on('notification', ({ payload }) => wired.receive(payload ?? ''))
    await client.query(`LISTEN ${channel}`)
    listener = client
    client.once('end', () => {
      if (hasLeft) return
      listener = undefined
      listenAgain()
    })
  }
  /** What was sent in the meantime is lost. */
  const listenAgain = (): void => {
    const again = async () => {
      if (hasLeft) return
      try {
        await listen()
      } catch {
        return listenAgain()
      }
      wired.missed()
    }
    setTimeout(() => void again(), AGAIN_MS).unref()
  }

  try {
    await listen()
  } catch (error) {
    await redis?.close()
    return unreachable(address, error)
  }

  return ok({
    publish: wired.publish,
    subscribe: wired.subscribe,
    onMissed: wired.onMissed,
    async settled() {
      await wired.sent()
      await redis?.settled()
      // The database delivers what has arrived before it answers.
      await listener?.query('SELECT 1')
    },
    async leave() {
      hasLeft = true
      wired.leave()
      clearInterval(poll)
      await wired.sent()
      await redis?.close()
      await listener?.end().catch(() => undefined)
      await sender?.end().catch(() => undefined)
    },
  })
}

/** Not durable, so nothing waits for a flush. */
const NOTIFY = `WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
  SELECT pg_notify($1, payload) FROM quick, unnest($2::text[]) payload`

/** How many notices wait to be sent at most; beyond it, the others learn that something is missing. */
const MOST_WAITING = 10_000
/** Postgres's NOTIFY accepts less than 8,000 bytes. */
const MOST_BYTES = 7_800

/** What is sent: the node, the number of the notice there, and the notice, or nothing if it was left out. */
type Sent = readonly [node: string, number: number, topic?: Topic, notice?: unknown]

type WiredNotices = Notices & {
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
