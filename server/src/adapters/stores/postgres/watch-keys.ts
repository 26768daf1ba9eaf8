import type { Client } from 'pg'
import type { Divergence } from '../batch-link.ts'
import { KEYS_CHANGED } from '../once-sum.ts'
import type { RowMacs } from '../row-mac.ts'
import type { OnForged } from '../stored-values.ts'
import { connect, messageOf, type PostgresAddress } from './connect.ts'
import { acceptKeys, hasAllKeys } from './once-keys.ts'

export type WatchSetup = {
  readonly address: PostgresAddress
  readonly stream: string
  readonly macs: RowMacs
  readonly onDiverged: (found: Divergence) => void
  readonly onForged: OnForged
  readonly onFault: (error: Error) => void
  /** Whether the gate is closed because the audit is broken. When that ends after keys were missing, an admin accepted it. */
  readonly isBroken: () => boolean
  /** The minimum time between two comparisons. */
  readonly every_ms?: number
}

const EVERY_MS = 60_000
/** The maximum share of one core that comparisons use. */
const SHARE = 0.01
const WHILE_BROKEN_MS = 1_000

/** Compares the single-use keys with their sums, again and again, in the background. The database does not report when somebody else writes. */
export function watchKeys(setup: WatchSetup): { close(): Promise<void> } {
  const { address, stream, macs, onDiverged, onForged, onFault, isBroken, every_ms = EVERY_MS } = setup
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let isClosed = false
  let wasMissing = false

  const look = async (client: Client): Promise<void> => {
    if (wasMissing) {
      if (isBroken()) return
      await acceptKeys(client, macs, stream)
      wasMissing = false
      return
    }
    if (await hasAllKeys(client, macs, (id) => onForged({ table: 'once', id }))) return
    wasMissing = true
    onDiverged({ stream, seq: 0, says: KEYS_CHANGED })
  }
  const round = async (): Promise<void> => {
    const began = performance.now()
    try {
      const client = await connect(address, 'keys')
      try {
        await look(client)
      } finally {
        await client.end().catch(() => undefined)
      }
    } catch (error) {
      if (!isClosed) onFault(new Error(`the single-use keys could not be compared: ${messageOf(error)}`))
    }
    if (isClosed) return
    const pause = wasMissing ? WHILE_BROKEN_MS : Math.max(every_ms, (performance.now() - began) / SHARE)
    timer = setTimeout(start, pause)
    timer.unref()
  }
  const start = (): void => {
    working = round()
  }
  start()
  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await working
    },
  }
}
