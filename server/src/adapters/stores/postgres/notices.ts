import type { Client } from 'pg'
import type { Notices } from '../../../kernel/ports/notices.ts'
import { ok, type Result } from '../../../kernel/contract/problems.ts'
import type { RedisWire } from '../redis/wire.ts'
import { wiredNotices } from '../wired-notices.ts'
import { connect, unreachable, type PostgresAddress } from './connect.ts'

export type OpenWire = (callbacks: {
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
export async function joinNotices(address: PostgresAddress, openRedis?: OpenWire): Promise<Result<JoinedNotices>> {
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
