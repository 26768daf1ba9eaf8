import { randomBytes } from 'node:crypto'
import type { Client } from 'pg'
import type { Notices, Topic, Topics } from '../../commands/ports/notices.ts'
import { ok, type Result } from '../../contract/problems.ts'
import { listenerBook } from '../listener-book.ts'
import { connect, unreachable, type PostgresAddress } from './connect.ts'

export type JoinedNotices = Notices & {
  /** Resolves when all that was published before is on its way, and all that arrived was told. */
  settled(): Promise<void>
  leave(): Promise<void>
}

/** NOTIFY takes less than 8,000 bytes. */
const MOST_BYTES = 7_900
/** What waits to be sent at most; beyond it, the others are told that something is missing. */
const MOST_WAITING = 10_000
const AGAIN_MS = 250

/** What travels: the node, the number of the notice there, and the notice, or nothing where it was left out. */
type Sent = readonly [node: string, number: number, topic?: Topic, notice?: unknown]

/** Notices among nodes by NOTIFY, on a channel of the schema. Two connections: one listens, one sends. */
export async function joinNotices(address: PostgresAddress): Promise<Result<JoinedNotices>> {
  const node = randomBytes(6).toString('hex')
  const channel = `sluice_${address.schema}`
  const book = listenerBook()
  const lastOf = new Map<string, number>()
  let waiting: string[] = []
  let number = 0
  let hasLeft = false
  let listener: Client | undefined
  let sender: Client | undefined
  let sending: Promise<void> | undefined

  const hear = (payload: string): void => {
    const sent = sentOf(payload)
    if (sent === undefined) return book.missed()
    const [from, count, topic, notice] = sent
    if (from === node) return
    const last = lastOf.get(from)
    lastOf.set(from, count)
    // A node that is heard for the first time has told nothing that this one could have missed since it listens.
    if ((last !== undefined && count !== last + 1) || topic === undefined) book.missed()
    if (topic !== undefined) book.tell(topic, notice as Topics[Topic], 'elsewhere')
  }

  const listen = async (): Promise<void> => {
    const client = await connect(address, 'notices', { query_timeout: 0 })
    client.on('notification', ({ payload }) => hear(payload ?? ''))
    await client.query(`LISTEN ${channel}`)
    listener = client
    client.once('end', () => {
      if (hasLeft) return
      listener = undefined
      listenAgain()
    })
  }
  /** What was told meanwhile is lost. */
  const listenAgain = (): void => {
    const again = async () => {
      if (hasLeft) return
      try {
        await listen()
      } catch {
        return listenAgain()
      }
      lastOf.clear()
      book.missed()
    }
    setTimeout(() => void again(), AGAIN_MS).unref()
  }

  const send = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        sender ??= await connect(address, 'notices')
        await sender.query({ name: 'notify', text: NOTIFY, values: [channel, batch] })
      } catch {
        // They are hints: the numbers tell the others that some are missing.
        const broken = sender
        sender = undefined
        await broken?.end().catch(() => undefined)
      }
    }
    sending = undefined
  }

  try {
    await listen()
  } catch (error) {
    return unreachable(address, error)
  }

  return ok({
    publish(topic, notice) {
      book.tell(topic, notice, 'here')
      if (hasLeft) return
      for (const part of partsOf(topic, notice)) {
        number += 1
        waiting.push(JSON.stringify([node, number, ...part] satisfies Sent))
      }
      if (waiting.length > MOST_WAITING) waiting = [JSON.stringify([node, (number += 1)] satisfies Sent)]
      sending ??= new Promise<void>((turn) => setImmediate(turn)).then(send)
    },
    subscribe: (topic, told) => book.subscribe(topic, told),
    onMissed: (told) => book.onMissed(told),
    async settled() {
      await sending
      // The database hands over what has arrived before it answers.
      await listener?.query('SELECT 1')
    },
    async leave() {
      hasLeft = true
      await sending
      await listener?.end().catch(() => undefined)
      await sender?.end().catch(() => undefined)
    },
  })
}

/** Not durable, so nobody waits for a flush. */
const NOTIFY = `WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
  SELECT pg_notify($1, payload) FROM quick, unnest($2::text[]) payload`

/** A notice that fits, or several, or none but a number. */
function partsOf<T extends Topic>(topic: T, notice: Topics[T]): readonly (readonly [Topic, unknown] | readonly [])[] {
  if (fits(notice)) return [[topic, notice]]
  if (!Array.isArray(notice) || notice.length < 2) return [[]]
  const half = Math.ceil(notice.length / 2)
  const [left, right] = [notice.slice(0, half), notice.slice(half)] as unknown as [Topics[T], Topics[T]]
  return [...partsOf(topic, left), ...partsOf(topic, right)]
}

const fits = (notice: unknown): boolean => Buffer.byteLength(JSON.stringify(notice)) < MOST_BYTES - 100

function sentOf(payload: string): Sent | undefined {
  try {
    const [node, number, topic, notice] = JSON.parse(payload) as readonly unknown[]
    if (typeof node !== 'string' || typeof number !== 'number') return undefined
    return topic === undefined ? [node, number] : [node, number, topic as Topic, notice]
  } catch {
    return undefined
  }
}
