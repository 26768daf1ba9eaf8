import { randomBytes } from 'node:crypto'
import { ok, type Result } from '../../../kernel/contract/problems.ts'
import type { OwnTail } from '../../../kernel/ports/audit.ts'
import type { Change, Ledger, CommitResults } from '../../../kernel/ports/ledger.ts'
import type { Accounts, AuditReads, Journal, Searches, Tables } from '../../../kernel/ports/reads.ts'
import type { Clock } from '../../../kernel/ports/runtime.ts'
import type { Divergence, Tail } from '../batch-link.ts'
import { groupWriter, type Scrub } from '../group-writer.ts'
import { rowMacs, type RowMacs } from '../row-mac.ts'
import type { OnForged } from '../stored-values.ts'
import { type PostgresAddress, connect, messageOf } from './connect.ts'
import { packCommit } from './packed-change.ts'
import { readQueries } from './read-queries.ts'
import { reads } from './reads.ts'
import { linkWriter } from './writer-link.ts'
import type { Client } from 'pg'
import { KEYS_CHANGED } from '../once-sum.ts'
import { acceptKeys, hasAllKeys } from './once-keys.ts'

export type PostgresLedger = Ledger &
  CommitResults &
  Tables &
  Searches &
  Accounts &
  AuditReads &
  OwnTail &
  Scrub &
  Journal & {
    /** Waits for the commits in progress; later ones are `unavailable`. */
    close(): Promise<void>
  }

export type PostgresSetup = {
  readonly address: PostgresAddress
  /** The audit stream that this process appends to. */
  readonly stream: string
  /** Which boot this is. What a dead one sends is not written. */
  readonly boot: string
  /** The key of the MACs that every row has. The database never has it. */
  readonly key: string
  /** The function that enqueues jobs, if wake-ups are also jobs. */
  readonly enqueue?: string
  /** Nobody else appends to the stream. */
  readonly alone?: boolean
  /** Called for rows that no gate with this key wrote, each time one is found. They are not returned. */
  readonly onForged?: OnForged
  /** Called with the reason why commits are `unavailable`. The store tries again with the next commit. */
  readonly onFault: (error: Error) => void
  /** Called when the stored audit stream is not the one that this process left. New entries are appended to what is there. */
  readonly onDiverged?: (found: Divergence) => void
  readonly floor?: Tail | undefined
  readonly onTail?: ((tail: Tail) => void) | undefined
  /** Asked for each commit just before it is sent: one that is refused is `unavailable`. */
  readonly refuses?: ((changes: readonly Change[]) => boolean) | undefined
  /** Whether the gate is closed because the audit is broken. With it, the single-use keys are compared in the background. */
  readonly isBroken?: (() => boolean) | undefined
  readonly keys_every_ms?: number
  readonly clock?: Clock
}

/** A ledger in a Postgres database, which many nodes share. */
export async function openPostgresLedger(setup: PostgresSetup): Promise<Result<PostgresLedger>> {
  const { address, stream, boot, key, alone = false, clock = Date.now, onFault } = setup
  const { onDiverged = () => {}, onForged = () => {}, floor, onTail, refuses, isBroken, keys_every_ms } = setup
  const writer = randomBytes(8).toString('hex')
  const macs = rowMacs(key)
  const writes = { address, writer, boot, stream, macs, alone, floor, enqueue: setup.enqueue }
  const first = await linkWriter(writes)
  if (!first.ok) return first
  const link = (last: Tail | undefined) => linkWriter({ ...writes, last, isAgain: true })
  const writing = groupWriter(
    { pack: packCommit, link, id: writer, clock, onFault, onDiverged, onTail, refuses },
    first.value,
  )
  const queries = readQueries(address)
  const watch =
    isBroken &&
    watchKeys({
      address,
      stream,
      macs,
      onDiverged,
      onForged,
      onFault,
      isBroken,
      ...(keys_every_ms === undefined ? {} : { every_ms: keys_every_ms }),
    })
  return ok({
    ...writing,
    ...reads(queries, macs, onForged),
    async close() {
      await watch?.close()
      await writing.close()
      await queries.close()
    },
  })
}

type WatchSetup = {
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
function watchKeys(setup: WatchSetup): { close(): Promise<void> } {
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
