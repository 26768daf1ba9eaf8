import type { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { Bug, ok, refuse, type Result } from '../../contract/problems.ts'
import { groupApplier, type ApplyGroup } from './apply-group.ts'
import type { TailMemory } from './audit-tail.ts'
import { connect } from './connect.ts'
import type { PackedCommit } from './packed-commit.ts'
import { migrate } from './schema.ts'
import { codeOf } from './sqlite-error.ts'
import type { Batch, BatchReply, WriterSetup } from './worker-link.ts'

// The thread that writes: an fsync never stops the event loop.
if (parentPort === null) throw new Bug('worker.ts runs only as a worker thread')
const port = parentPort
const setup = workerData as WriterSetup

type Connection = { readonly db: DatabaseSync; readonly apply: ApplyGroup }
let connection: Connection | undefined
/** Outlives every connection. */
const memory: TailMemory = { alone: setup.alone, last: setup.last, inDoubt: true }

const says = (error: unknown) => (error instanceof Error ? error.message : String(error))

function connected(): Result<Connection> {
  if (connection !== undefined) return ok(connection)
  const db = connect(setup.file, setup.tuning)
  try {
    const migrated = migrate(db)
    if (!migrated.ok) return migrated
    connection = { db, apply: groupApplier(db, setup.stream, memory) }
    return ok(connection)
  } finally {
    if (connection === undefined) db.close()
  }
}

/** Closing rolls back what is open. A connection whose disk has failed may not even close; it is dropped all the same. */
function disconnect(): void {
  const old = connection
  connection = undefined
  try {
    old?.db.close()
  } catch {
    // Nothing to save: what was not committed is not stored.
  }
}

/**
 * One group, or why none of it is stored. The next group starts with a fresh connection, whatever state a failure left.
 * After a COMMIT whose fsync failed, its frames may stand in the log until the next write covers them. A crash just then can
 * bring the group back: an intent that was never carried out, which recovery hands to a person like any interrupted call.
 */
function writeGroup(commits: readonly PackedCommit[], now: number): BatchReply {
  try {
    const writer = connected()
    if (writer.ok) return { outcomes: writer.value.apply(commits, now), ...tailNow() }
    return unavailable(commits, { says: String(writer.problem.about['says']) })
  } catch (error) {
    disconnect()
    return unavailable(commits, { says: says(error), code: codeOf(error) })
  }
}

/** Where the chain ends, and what was found changed since this was told last. */
function tailNow(): Pick<BatchReply, 'tail' | 'diverged'> {
  const { last, diverged } = memory
  memory.diverged = undefined
  return { tail: last, diverged }
}

const unavailable = (commits: readonly PackedCommit[], fault: BatchReply['fault']): BatchReply => ({
  outcomes: commits.map(() => 'unavailable'),
  fault,
})

/** What was removed still stands in the log. Readers are not waited for: then the next time empties it. */
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

function writeAndScrub(batch: Batch): BatchReply {
  const reply = write(batch)
  try {
    if (batch.scrub === true) scrub()
  } catch {
    disconnect()
  }
  return reply
}

function write({ commits, now }: Batch): BatchReply {
  const { group } = setup.tuning
  if (commits.length <= group) return writeGroup(commits, now)
  const groups: BatchReply[] = []
  for (let at = 0; at < commits.length; at += group) groups.push(writeGroup(commits.slice(at, at + group), now))
  return {
    outcomes: groups.flatMap(({ outcomes }) => outcomes),
    fault: groups.find(({ fault }) => fault)?.fault,
    tail: groups.findLast(({ tail }) => tail)?.tail,
    diverged: groups.find(({ diverged }) => diverged)?.diverged,
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

port.on('message', (message: Batch | 'end') => {
  if (message !== 'end') return port.postMessage(writeAndScrub(message))
  disconnect()
  port.close()
})
port.postMessage(start())
