import { hash } from 'node:crypto'
import type { Ledger, CommitResults } from '../../../kernel/ports/ledger.ts'
import { connectOnce, redisClient, type RedisAddress } from './connect.ts'

/** Single-use keys that are known to be used. Unknown ones may be used as well. */
export type UsedKeys = {
  /** The first of these that is used; undefined if none is known, or Redis does not answer. */
  firstUsed(keys: readonly string[]): Promise<number | undefined>
  note(keys: readonly { readonly key: string; readonly until: number }[]): void
  close(): Promise<void>
}

/** Postgres stores permanently what it has to. */
const LONGEST_MS = 7 * 24 * 60 * 60_000

export async function openUsedKeys({ url, schema }: RedisAddress, onFault: (error: Error) => void): Promise<UsedKeys> {
  const client = redisClient(url, onFault)
  const nameOf = (key: string) => `sluice:${schema}:once:${hash('sha256', key)}`
  await connectOnce(client)
  return {
    async firstUsed(keys) {
      if (!client.isReady) return undefined
      const found = await client.mGet(keys.map(nameOf)).catch(() => [])
      const first = found.findIndex((value) => value !== null)
      return first === -1 ? undefined : first
    },
    note(keys) {
      if (!client.isReady) return
      for (const { key, until } of keys) {
        const PX = Math.min(LONGEST_MS, Math.floor(until - Date.now()))
        if (PX > 0)
          client
            .set(nameOf(key), '1', { condition: 'NX', expiration: { type: 'PX', value: PX } })
            .catch(() => undefined)
      }
    },
    async close() {
      if (client.isOpen) client.destroy()
    },
  }
}

/**
 * Wraps the ledger. A commit with a key that is known to be used loses without reading the database.
 * INVARIANT: a key that may be unused is decided by the ledger alone, so two commits never use one, whatever Redis says or
 * forgets.
 */
export function refuseUsed<L extends Ledger & CommitResults>(ledger: L, used: UsedKeys): L {
  return {
    ...ledger,
    async commit(changes) {
      const onces = changes.flatMap((change, index) => (change.kind === 'once' ? [{ ...change, index }] : []))
      if (onces.length === 0) return ledger.commit(changes)
      const first = await used.firstUsed(onces.map(({ key }) => key))
      const known = first === undefined ? undefined : onces[first]
      if (known !== undefined) return { lost: known.index }
      const committed = await ledger.commit(changes)
      if (committed === 'committed') used.note(onces)
      return committed
    },
  }
}
