import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { Bug, ok, refuse, type Result } from '../../../kernel/contract/problems.ts'
import type { AskedBatch, AskedReply, Batch, BatchReply, EngineFault, GroupResult } from '../batch-link.ts'
import { garbageCollector } from '../collect-garbage.ts'
import { groupApplier, type ApplyGroup, type WriterMemory } from './apply-group.ts'
import { connect, type SqliteTuning } from './connect.ts'
import { batchNoter, readLastBatch, type NoteBatch } from './last-batch.ts'
import { isSyncedLater, type PackedCommit } from './packed-commit.ts'
import { defineMacFunctions, sealHeads, sealRows } from './mac-functions.ts'
import { newestNote } from '../note-newest.ts'
import { rowMacs } from '../row-mac.ts'
import { sealOnces } from './once-keys.ts'
import { FIRST_WITH_HEAD_MACS, FIRST_WITH_MACS, FIRST_WITH_ONCE_MACS, migrate, versionOf } from './schema.ts'
import { codeOf } from './sqlite-error.ts'
import type { WriterSetup } from './worker-link.ts'

// The writing thread: an fsync never blocks the event loop.
if (parentPort === null) throw new Bug('worker.ts runs only as a worker thread')
const port = parentPort
const setup = workerData as WriterSetup

/** Without a message for this long, the thread is idle. */
const IDLE_MS = 2_000

type Synchronous = SqliteTuning['synchronous'] | 'NORMAL'
type Connection = {
  readonly db: DatabaseSync
  readonly apply: ApplyGroup
  readonly noteBatch: NoteBatch
  synchronous: Synchronous
}
let connection: Connection | undefined
/** Outlives every connection. */
const { alone, last, floor } = setup
const memory: WriterMemory = {
  tail: { alone, last, floor, inDoubt: true },
  onces: { alone, n: last?.once, floor: floor?.once, forged: [] },
}

const macs = rowMacs(setup.rows.key)
/** Also across a new connection: rows get their first MACs once. */
let sealed = setup.rows.sealed
let heads = setup.rows.heads === true
let onces = setup.rows.onces === true

const note = setup.noteFile === undefined ? undefined : newestNote(setup.noteFile)

/** Whether the newest commits were written without an fsync. Outlives every connection, too. */
let unsynced = false

const says = (error: unknown) => (error instanceof Error ? error.message : String(error))

function connected(): Result<Connection> {
  if (connection !== undefined) return ok(connection)
  const db = connect(setup.file, setup.tuning)
  try {
    defineMacFunctions(db, macs)
    const version = versionOf(db)
    // Rows of that time have no MACs, and this folder's rows did: it is another database.
    const least = onces ? FIRST_WITH_ONCE_MACS : heads ? FIRST_WITH_HEAD_MACS : sealed ? FIRST_WITH_MACS : 0
    if (version > 0 && version < least) return refuse('ledger.replaced', { found: String(version) })
    const migrated = migrate(db)
    if (!migrated.ok) return migrated
    if (!sealed) sealRows(db)
    else if (!heads && version < FIRST_WITH_HEAD_MACS) sealHeads(db)
    if (!onces) sealOnces(db, setup.stream, macs)
    sealed = heads = onces = true
    // A failed fsync may have dropped what it should have written, and the next one would not report it. So commits that were left
    // to it are copied to the database, which is synced.
    if (unsynced) db.exec('PRAGMA wal_checkpoint(FULL)')
    connection = {
      db,
      apply: groupApplier(db, setup.stream, memory, macs),
      noteBatch: batchNoter(db, setup.writer),
      synchronous: setup.tuning.synchronous,
    }
    return ok(connection)
  } finally {
    if (connection === undefined) db.close()
  }
}

/** `NORMAL`: the log is written at COMMIT, but its fsync is left to the next COMMIT with `FULL`. */
function syncWith(to: Connection, synchronous: Synchronous): void {
  if (to.synchronous === synchronous) return
  to.db.exec(`PRAGMA synchronous = ${synchronous}`)
  to.synchronous = synchronous
}

/** Closing rolls back what is open. A connection whose disk has failed may not even close; it is dropped anyway. */
function disconnect(): void {
  const old = connection
  connection = undefined
  try {
    old?.db.close()
  } catch {
    // Nothing to save: a group that was not committed is not stored, and one in doubt is asked about on the next connection.
  }
}

/** The batch of a group, and the outcomes of the groups of the batch before it. */
type Place = { readonly batch: number; readonly before: readonly GroupResult[] }

/** One group, or why none of it is stored. The next group starts with a fresh connection, whatever state a failure left. */
function writeGroup(commits: readonly PackedCommit[], now: number, { batch, before }: Place): BatchReply {
  try {
    const writer = connected()
    if (!writer.ok) return all('unavailable', commits, { says: writer.problem.about['says'] ?? writer.problem.code })
    const { apply, noteBatch } = writer.value
    const isLater = commits.length > 0 && commits.every(isSyncedLater)
    syncWith(writer.value, isLater ? 'NORMAL' : setup.tuning.synchronous)
    const applied = apply(commits, now, (found) => noteBatch(batch, [...before, ...found], now))
    if ('outcomes' in applied) {
      unsynced = isLater
      return { ...applied, ...noted(tailNow()) }
    }
    disconnect()
    return all('in_doubt', commits, faultOf(applied.in_doubt))
  } catch (error) {
    disconnect()
    return all('unavailable', commits, faultOf(error))
  }
}

function faultOf(error: unknown): EngineFault {
  const code = codeOf(error)
  return code === undefined ? { says: says(error) } : { says: says(error), code: `SQLite ${code}` }
}

/** Where the chain ends, and what was found changed since the last report. */
function tailNow(): Pick<BatchReply, 'tail' | 'diverged' | 'forged'> {
  const { tail, onces: keys } = memory
  const diverged = tail.diverged ?? keys.diverged
  const { forged } = keys
  tail.diverged = keys.diverged = undefined
  keys.forged = []
  return { tail: tail.last && { ...tail.last, once: keys.n }, diverged, ...(forged.length === 0 ? {} : { forged }) }
}

/**
 * Before anybody is answered: what was acknowledged is noted, even if this process is killed then. An end that a power failure can
 * take back is not noted.
 */
function noted(now: ReturnType<typeof tailNow>): ReturnType<typeof tailNow> & Pick<BatchReply, 'fault'> {
  if (note === undefined || unsynced || now.tail === undefined || now.tail.seq === 0) return now
  try {
    note.write(now.tail)
    return now
  } catch (error) {
    return {
      ...now,
      fault: { says: `the number of the newest audit entry could not be saved in the keys folder: ${says(error)}` },
    }
  }
}

const all = (word: 'unavailable' | 'in_doubt', commits: readonly PackedCommit[], fault: EngineFault): BatchReply => ({
  outcomes: commits.map(() => word),
  fault,
})

/** Deleted content is still in the log. It does not wait for readers: then the next time empties it. */
function scrub(): void {
  const writer = connected()
  if (!writer.ok) return
  const { db } = writer.value
  db.exec('PRAGMA busy_timeout = 0')
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } finally {
    db.exec(`PRAGMA busy_timeout = ${setup.tuning.busy_ms}`)
  }
}

function writeAndScrub(batch: Batch<PackedCommit>): BatchReply {
  const reply = write(batch)
  try {
    if (batch.scrub === true) scrub()
  } catch {
    disconnect()
  }
  return reply
}

function write({ batch, commits, now }: Batch<PackedCommit>): BatchReply {
  const { group } = setup.tuning
  if (commits.length <= group) return writeGroup(commits, now, { batch, before: [] })
  const groups: BatchReply[] = []
  const before: GroupResult[] = []
  for (let at = 0; at < commits.length; at += group) {
    const written = writeGroup(commits.slice(at, at + group), now, { batch, before })
    groups.push(written)
    const known = written.outcomes.filter((outcome) => outcome !== 'in_doubt')
    before.push(...known)
    // What follows a group in doubt is not written before that group was asked about.
    if (known.length < written.outcomes.length) break
  }
  return {
    outcomes: groups.flatMap(({ outcomes }) => outcomes),
    cursors: groups.flatMap(({ cursors }) => cursors ?? []),
    touched: groups.find(({ touched }) => touched)?.touched,
    fault: groups.find(({ fault }) => fault)?.fault,
    tail: groups.findLast(({ tail }) => tail)?.tail,
    diverged: groups.find(({ diverged }) => diverged)?.diverged,
    forged: groups.flatMap(({ forged }) => forged ?? []),
  }
}

function ask({ ask: batch, count, now }: AskedBatch): AskedReply {
  try {
    const writer = connected()
    if (!writer.ok) return { fault: { says: writer.problem.about['says'] ?? writer.problem.code } }
    syncWith(writer.value, setup.tuning.synchronous)
    return { outcomes: readLastBatch(writer.value.db, setup.writer, { batch, count }, now) }
  } catch (error) {
    disconnect()
    return { fault: faultOf(error) }
  }
}

function start(): Result<void> {
  try {
    const writer = connected()
    return writer.ok ? ok(undefined) : writer
  } catch (error) {
    return refuse('audit.unavailable', { says: says(error) })
  }
}

let isIdle = true
port.on('message', (message: Batch<PackedCommit> | AskedBatch | 'end') => {
  isIdle = false
  if (message !== 'end') return port.postMessage('ask' in message ? ask(message) : writeAndScrub(message))
  disconnect()
  note?.close()
  port.close()
})
port.postMessage(start())

// Once, after the start: V8 collects only while something is allocated, and would keep what the start has left behind.
const afterStart = setInterval(() => {
  if (isIdle) {
    clearInterval(afterStart)
    garbageCollector()()
  }
  isIdle = true
}, IDLE_MS).unref()
