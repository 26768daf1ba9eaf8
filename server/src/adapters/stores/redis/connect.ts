import { createClient } from '@redis/client'

export type RedisAddress = { readonly url: string; readonly schema: string }

const ANSWER_MS = 500
const AGAIN_MS = 250

/**
 * A connection that is made again whenever it breaks. Nothing waits for it: a command while it is down fails immediately, and one
 * that is not answered in half a second is given up, because its sender continues without Redis.
 */
export function redisClient(url: string, onFault: (error: Error) => void) {
  const client = createClient({
    url,
    disableOfflineQueue: true,
    pingInterval: ANSWER_MS,
    socket: { connectTimeout: 2_000, socketTimeout: 4 * ANSWER_MS, reconnectStrategy: () => AGAIN_MS },
    commandOptions: { timeout: ANSWER_MS },
  })
  let isReported = false
  client.on('error', (error: Error) => {
    if (!isReported) onFault(new Error(`redis cannot be reached, so postgres is used instead: ${error.message}`))
    isReported = true
  })
  client.on('ready', () => (isReported = false))
  return client
}
export type RedisConnection = ReturnType<typeof redisClient>

/** Resolves when the connection is up, or has failed for the first time. */
export async function connectOnce(client: RedisConnection): Promise<void> {
  const failed = new Promise<void>((resolve) => client.once('error', () => resolve()))
  const connected = client.connect().then(
    () => undefined,
    () => undefined,
  )
  await Promise.race([connected, failed])
}
