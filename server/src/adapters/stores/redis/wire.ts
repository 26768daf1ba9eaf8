import { connectOnce, redisClient, type RedisAddress } from './connect.ts'

export type RedisWire = {
  /** True if Redis has accepted all of them. */
  send(payloads: readonly string[]): Promise<boolean>
  /** False while this node may miss what others send. */
  canReceive(): boolean
  /** Resolves when everything sent before has arrived. */
  settled(): Promise<void>
  close(): Promise<void>
}

/** Pub/sub on a channel of the schema. `onBack`: it is connected again, and may have missed something. */
export async function openRedisWire(
  { url, schema }: RedisAddress,
  callbacks: {
    readonly receive: (payload: string) => void
    readonly onBack: () => void
    readonly onFault: (error: Error) => void
  },
): Promise<RedisWire> {
  const channel = `sluice:${schema}:notices`
  const sender = redisClient(url, callbacks.onFault)
  // Only one of them reports faults.
  const listener = redisClient(url, () => undefined)
  let isListening = false
  const listen = async (): Promise<void> => {
    isListening = false
    await listener.subscribe(channel, callbacks.receive)
    isListening = true
    callbacks.onBack()
  }
  // Subscribing twice changes nothing.
  listener.on('ready', () => void listen().catch(() => undefined))
  await Promise.all([connectOnce(sender), connectOnce(listener)])
  return {
    async send(payloads) {
      if (!sender.isReady) return false
      try {
        await Promise.all(payloads.map((payload) => sender.publish(channel, payload)))
        return true
      } catch {
        return false
      }
    },
    canReceive: () => listener.isReady && isListening,
    async settled() {
      // What was published before is delivered before this is answered.
      if (listener.isReady) await listener.ping().catch(() => undefined)
    },
    async close() {
      for (const client of [sender, listener]) if (client.isOpen) client.destroy()
    },
  }
}
