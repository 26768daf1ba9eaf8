import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { aboutWith, ok, refuse, type Result } from '../../../kernel/contract/problems.ts'
import type { OwnTail } from '../../../kernel/ports/audit.ts'
import type { Change, Ledger, CommitResults } from '../../../kernel/ports/ledger.ts'
import type { Accounts, AuditReads, Journal, Searches, Tables } from '../../../kernel/ports/reads.ts'
import type { Clock } from '../../../kernel/ports/runtime.ts'
import type { Divergence, Tail } from '../batch-link.ts'
import { backUp } from './back-up.ts'
import { connectForReads, PRODUCT, type SqliteTuning } from './connect.ts'
import { groupWriter, type Scrub } from '../group-writer.ts'
import { bloomFilter } from './bloom-filter.ts'
import type { OnForged } from '../stored-values.ts'
import { lastLabels } from './last-labels.ts'
import { reads } from './reads.ts'
import { cachedReads, rememberReads } from './remember-reads.ts'
import { rowMacs, type RowKey } from '../row-mac.ts'
import { packCommit, type PackedCommit } from './packed-commit.ts'
import { linkWorker } from './worker-link.ts'
import { writtenRows } from './written-rows.ts'

export type SqliteStore = Ledger &
  CommitResults &
  Tables &
  Searches &
  Accounts &
  AuditReads &
  OwnTail &
  Scrub &
  Journal & {
    /** A consistent copy of everything, while the gate keeps running. The file must not exist yet. */
    backup(toFile: string): Promise<Result<void>>
    /** Waits for the commits in progress; later ones are `unavailable`. */
    close(): Promise<void>
  }

export type SqliteSetup = {
  readonly file: string
  /** The audit stream that this process appends to. */
  readonly stream: string
  /** The key of the MACs that every row has. */
  readonly rows: RowKey
  /** Called for rows that this gate did not write, each time one is found. They are not returned. */
  readonly onForged?: OnForged
  /** Nobody else writes as long as this is open, so that what was read of rarely changed tables may be cached. */
  readonly alone?: boolean
  /** Called with the reason why commits are `unavailable`. The store tries again with the next commit. */
  readonly onFault: (error: Error) => void
  /** Called when the stored audit stream is not the one that this process left. New entries are appended to what is there. */
  readonly onDiverged?: (found: Divergence) => void
  readonly floor?: Tail | undefined
  /** Gets the newest entry after each group of commits, before they are answered. */
  readonly noteFile?: string | undefined
  /** Asked for each commit just before it is sent: one that is refused is `unavailable`. */
  readonly refuses?: ((changes: readonly Change[]) => boolean) | undefined
  readonly clock?: Clock
  readonly tuning?: Partial<SqliteTuning>
  /** The script of the writing thread; tests use one that dies. */
  readonly script?: URL | undefined
}

/** The embedded ledger: one SQLite file, written by one thread of this process, shared with other processes. */
export async function openSqliteLedger(setup: SqliteSetup): Promise<Result<SqliteStore>> {
  const file = resolve(setup.file)
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // SQLite gives its log the mode of the database.
    closeSync(openSync(file, 'a', 0o600))
  } catch (error) {
    return refuse('audit.unavailable', { file, says: error instanceof Error ? error.message : String(error) })
  }
  const alone = setup.alone === true
  const tuning = { ...PRODUCT, ...setup.tuning }
  const floor = setup.floor?.stream === setup.stream ? setup.floor : undefined
  const writer_id = randomBytes(8).toString('hex')
  let rows = setup.rows
  const link = (last?: Tail) =>
    linkWorker(
      { file, stream: setup.stream, writer: writer_id, rows, tuning, alone, last, floor, noteFile: setup.noteFile },
      setup.script,
    )
  const first = await link()
  // A thread that is started again later gives no row its first MAC.
  rows = { ...rows, sealed: true, heads: true, onces: true }
  if (!first.ok) return { ok: false, problem: aboutWith(first.problem, { file, ...first.problem.about }) }

  const db = connectForReads(file)
  const { clock = Date.now, onFault, onDiverged = () => {}, onForged = () => {}, refuses } = setup
  const written = writtenRows()
  const labels = lastLabels()
  const cached = cachedReads()
  const packing = {
    pack: (changes: readonly Change[]) => packCommit(changes, written.rowAt),
    onStored(changes: readonly Change[], packed: PackedCommit, cursors: Iterator<number> | undefined) {
      written.note(changes, packed)
      labels.stored(changes, cursors)
    },
    onTouched() {
      labels.clear()
      cached.answers.clear()
      cached.rows.clear()
    },
  }
  const writer = groupWriter(
    { ...packing, link, id: writer_id, clock, onFault, onDiverged, onForged, refuses },
    first.value,
  )
  const store: SqliteStore = {
    ...writer,
    ...reads(db, rowMacs(rows.key), onForged),
    backup: (toFile) => backUp(file, resolve(toFile)),
    async close() {
      await writer.close()
      if (db.isOpen) db.close()
    },
  }
  if (!alone) return ok(store)
  const identities = {
    calls: bloomFilter(db, 'calls', 'identity'),
    approvals: bloomFilter(db, 'approvals', 'identity'),
  }
  return ok(rememberReads(store, labels, identities, cached))
}
