import { DatabaseSync } from 'node:sqlite'
import { ok, refuse, type Result } from '../../../kernel/contract/problems.ts'
import { BY_RUN, byRun } from './by-run.ts'
import { CALLER_ROWS, defineCallerFunctions } from './caller-rows.ts'
import { CONSOLE_COLUMNS } from './console-columns.ts'
import { FLOW_TABLES } from './flow-tables.ts'
import { DOCUMENT_TABLES } from './document-tables.ts'
import { runV2 } from './runs-v2.ts'
import { STREAM_LENGTH } from './streams.ts'
import { textKey } from '../text-key.ts'

/** Marks the file as ours (`Slce`), so that a wrong path never turns somebody else's database into a ledger. */
const APPLICATION_ID = 0x53_6c_63_65

/** The format of every kind of row, in the first releases. `pos` is the cursor of a listing and is never reused. */
function rows(table: string, listedBy: readonly string[]): string {
  const indexes = listedBy.map((field) => index(table, field))
  return `
    CREATE TABLE ${table} (
      pos INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL,
      body TEXT NOT NULL
    ) STRICT;
    ${indexes.join('\n')}`
}

function index(table: string, field: string): string {
  const value = `json_extract(body, '$.${field}')`
  return `CREATE INDEX ${table}_by_${field} ON ${table} (${value}) WHERE ${value} IS NOT NULL;`
}

const FIRST = [
  `PRAGMA application_id = ${APPLICATION_ID};`,
  rows('calls', ['state', 'thread', 'idempotency_key']),
  rows('approvals', ['state', 'call_id', 'thread']),
  rows('runs', ['status', 'kind']),
  rows('tools', ['server']),
  rows('servers', []),
  rows('pauses', []),
  rows('credentials', ['key_hash']),
  rows('checkpoints', []),
  `
  CREATE TABLE once (key TEXT PRIMARY KEY, until REAL NOT NULL) STRICT, WITHOUT ROWID;
  CREATE INDEX once_by_until ON once (until);
  CREATE TABLE accounts (id TEXT PRIMARY KEY, units INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE events (run TEXT, seq INTEGER, body TEXT NOT NULL, PRIMARY KEY (run, seq)) STRICT, WITHOUT ROWID;
  CREATE TABLE wakes (run TEXT, at REAL, PRIMARY KEY (run, at)) STRICT, WITHOUT ROWID;
  CREATE INDEX wakes_by_at ON wakes (at);
  CREATE TABLE audit (
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    hash TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (stream, seq)
  ) STRICT;
  CREATE TABLE heads (stream TEXT PRIMARY KEY, seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT, WITHOUT ROWID;`,
].join('\n')

const REPEATED_CALLS = [index('calls', 'identity'), index('approvals', 'identity')].join('\n')

/** An account of a past period may be deleted; one without `until` stays. */
const PASSING_ACCOUNTS = `
  ALTER TABLE accounts ADD COLUMN until REAL;
  CREATE INDEX accounts_by_until ON accounts (until) WHERE until IS NOT NULL;`

const CONSENTS = rows('consents', ['shelf'])

/** Executed calls whose read-back is not recorded yet: few at any time, and searched for at every start. */
const DUE_READ_BACKS = index('calls', 'due')

const PASSPHRASES = rows('passphrases', [])

const HABITS = rows('habits', [])

/** Calls that are followed as tasks, by their caller. */
const TASKS = index('calls', 'task_of')

/** What a column takes from a row's text. */
type Column = { readonly type: 'TEXT' | 'INTEGER'; readonly value: string }
const text = (field: string): Column => ({ type: 'TEXT', value: `json_extract(body, '$.${field}')` })
const key = (field: string): Column => ({ type: 'INTEGER', value: `text_key(json_extract(body, '$.${field}'))` })

/**
 * The same rows, with their listed fields in separate columns: an index on JSON reads the text again at every write. `later`
 * contains the fields in which a second version differs. Rows are never removed, so `pos` needs no counter.
 */
function withColumns(table: string, columns: Readonly<Record<string, Column>>): string {
  const fields = Object.entries(columns)
  const declared = fields.map(([field, { type }]) => `, ${field} ${type}`).join('')
  return `
    ALTER TABLE ${table} RENAME TO former;
    CREATE TABLE ${table} (
      pos INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      version INTEGER NOT NULL,
      body TEXT NOT NULL,
      later TEXT${declared}
    ) STRICT;
    INSERT INTO ${table} (pos, id, version, body${fields.map(([field]) => `, ${field}`).join('')})
      SELECT pos, id, version, body${fields.map(([, { value }]) => `, ${value}`).join('')} FROM former ORDER BY pos;
    DROP TABLE former;
    ${fields.map(([field]) => `CREATE INDEX ${table}_by_${field} ON ${table} (${field}) WHERE ${field} IS NOT NULL;`).join('\n')}`
}

/** A call that has ended is not listed by its state: most rows stay out of that index. */
const OPEN_STATE: Column = {
  type: 'TEXT',
  value: `nullif(nullif(nullif(json_extract(body, '$.state'), 'executed'), 'failed'), 'refused')`,
}

const COLUMNS = [
  withColumns('calls', {
    state: OPEN_STATE,
    idempotency_key: text('idempotency_key'),
    identity: key('identity'),
    due: text('due'),
    task_of: text('task_of'),
  }),
  withColumns('approvals', { state: text('state'), identity: key('identity') }),
  withColumns('consents', { shelf: text('shelf') }),
  withColumns('runs', { status: text('status'), kind: text('kind') }),
  withColumns('tools', { server: text('server') }),
  withColumns('servers', {}),
  withColumns('pauses', {}),
  withColumns('credentials', { key_hash: text('key_hash') }),
  withColumns('checkpoints', {}),
  withColumns('passphrases', {}),
  withColumns('habits', {}),
].join('\n')

/** Streams get numbers, so that one number is an entry's place and the audit is one tree instead of two. */
const NUMBERED_STREAMS = `
  CREATE TABLE streams (number INTEGER PRIMARY KEY, stream TEXT NOT NULL UNIQUE) STRICT;
  INSERT INTO streams (stream) SELECT stream FROM (SELECT stream FROM heads UNION SELECT stream FROM audit) ORDER BY stream;
  ALTER TABLE audit RENAME TO former;
  CREATE TABLE audit (place INTEGER PRIMARY KEY, hash TEXT NOT NULL, body TEXT NOT NULL) STRICT;
  INSERT INTO audit (place, hash, body)
    SELECT (number - 1) * ${STREAM_LENGTH} + seq, hash, body FROM former JOIN streams USING (stream) ORDER BY number, seq;
  DROP TABLE former;`

/**
 * The day on which a call or a run ended, counted from 1970, as long as its texts are kept: the sweep uses it to find what has
 * expired. It is not known when a run of an earlier release ended; it counts from this day.
 */
const ENDED_DAYS = `
  ALTER TABLE calls ADD COLUMN ended_day TEXT;
  UPDATE calls SET ended_day =
    CAST(CAST(coalesce(later ->> 'ended_at', body ->> 'ended_at', body ->> 'received_at', 0) / 86400000 AS INTEGER) AS TEXT)
    WHERE state IS NULL;
  CREATE INDEX calls_by_ended_day ON calls (ended_day) WHERE ended_day IS NOT NULL;
  ALTER TABLE runs ADD COLUMN ended_day TEXT;
  UPDATE runs SET ended_day = CAST(CAST(coalesce(body ->> 'created_at', 0) / 86400000 AS INTEGER) AS TEXT)
    WHERE status = 'done';
  CREATE INDEX runs_by_ended_day ON runs (ended_day) WHERE ended_day IS NOT NULL;`

/** Runs are found by their owner, what they belong to and what they wait for. `run_v2` is in runs-v2.ts. */
const RUN_COLUMNS = `
  ALTER TABLE runs ADD COLUMN owner TEXT;
  ALTER TABLE runs ADD COLUMN thread TEXT;
  ALTER TABLE runs ADD COLUMN parent TEXT;
  ALTER TABLE runs ADD COLUMN waits_for TEXT;
  UPDATE runs SET body = run_v2(body, later), later = NULL, version = version + 1;
  UPDATE runs SET status = json_extract(body, '$.status'), waits_for = json_extract(body, '$.waits_for');
  CREATE INDEX runs_by_owner ON runs (owner) WHERE owner IS NOT NULL;
  CREATE INDEX runs_by_thread ON runs (thread) WHERE thread IS NOT NULL;
  CREATE INDEX runs_by_parent ON runs (parent) WHERE parent IS NOT NULL;
  CREATE INDEX runs_by_waits_for ON runs (waits_for) WHERE waits_for IS NOT NULL;
  CREATE INDEX wakes_by_at_and_run ON wakes (at, run);
  DROP INDEX wakes_by_at;
  INSERT INTO wakes (run, at) SELECT id, 0 FROM runs WHERE status <> 'done' ON CONFLICT DO NOTHING;`

/**
 * The last batch of each writer, written in the transactions of that batch, so that a writer whose thread died can report its
 * outcome. `exceptions` lists the commits of the batch that are not stored.
 */
const WRITERS = `
  CREATE TABLE writers (id TEXT PRIMARY KEY, batch INTEGER NOT NULL, done INTEGER NOT NULL, exceptions TEXT NOT NULL,
    at INTEGER NOT NULL) STRICT, WITHOUT ROWID;`

/** What entered each session, in order. */
const LABELS = `
  CREATE TABLE labels (
    pos INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    later TEXT,
    session INTEGER,
    ended_day TEXT
  ) STRICT;
  CREATE INDEX labels_by_session ON labels (session) WHERE session IS NOT NULL;
  CREATE INDEX labels_by_ended_day ON labels (ended_day) WHERE ended_day IS NOT NULL;`

/** row-mac.ts describes what a MAC covers. Rows of earlier releases get theirs after the migration. */
const WITH_MACS =
  'calls approvals consents runs tools servers pauses credentials passphrases habits sessions labels logins passkeys pushes events accounts'
const ROW_MACS = WITH_MACS.split(' ')
  .map((table) => `ALTER TABLE ${table} ADD COLUMN mac BLOB;`)
  .join('\n')

/** Somebody who rewrites entries that no checkpoint has signed yet cannot create the matching head. */
const HEAD_MACS = 'ALTER TABLE heads ADD COLUMN mac BLOB;'

/** Each single-use key gets a MAC, and each writer a sum of its keys: once-keys.ts. */
const ONCE_MACS = `
  ALTER TABLE once ADD COLUMN mac BLOB;
  CREATE TABLE once_sums (stream TEXT PRIMARY KEY, n INTEGER NOT NULL, masked BLOB NOT NULL, mac BLOB NOT NULL) STRICT, WITHOUT ROWID;`

/**
 * Numbered from 1 by position. A new table of rows has a column `mac BLOB`. A migration after `ROW_MACS` that changes stored
 * texts sets `mac` too, and changes only rows whose MAC is right before it: `UPDATE t SET body = …, mac = row_mac('t', id,
 * version, …, later) WHERE mac IS row_mac('t', id, version, body, later)`. A released migration never changes; the next one is
 * added after it.
 */
export const MIGRATIONS: readonly string[] = [
  FIRST,
  REPEATED_CALLS,
  PASSING_ACCOUNTS,
  CONSENTS,
  DUE_READ_BACKS,
  PASSPHRASES,
  HABITS,
  TASKS,
  COLUMNS,
  NUMBERED_STREAMS,
  ENDED_DAYS,
  CALLER_ROWS,
  RUN_COLUMNS,
  BY_RUN,
  WRITERS,
  LABELS,
  CONSOLE_COLUMNS,
  ROW_MACS,
  FLOW_TABLES,
  DOCUMENT_TABLES,
  HEAD_MACS,
  ONCE_MACS,
]

/** From here on every row has a MAC. */
export const FIRST_WITH_MACS = MIGRATIONS.indexOf(ROW_MACS) + 1
/** From here on the head of each audit stream has one too. */
export const FIRST_WITH_HEAD_MACS = MIGRATIONS.indexOf(HEAD_MACS) + 1
/** From here on the single-use keys have one. */
export const FIRST_WITH_ONCE_MACS = MIGRATIONS.indexOf(ONCE_MACS) + 1

/**
 * Applies all missing migrations, all or nothing. The write lock is held in the meantime, so if several processes start together
 * one migrates and the others find it done.
 */
export function migrate(db: DatabaseSync, migrations: readonly string[] = MIGRATIONS): Result<void> {
  db.function('by_run', (body) => byRun(String(body)))
  db.function('run_v2', (body, later) => runV2(String(body), later === null ? undefined : String(later)))
  db.function('text_key', (value) => (typeof value === 'string' ? textKey(value) : null))
  defineCallerFunctions(db)
  db.exec('BEGIN IMMEDIATE')
  try {
    const version = versionOf(db)
    const foreign =
      version === 0
        ? numberOf(db, 'SELECT count(*) FROM sqlite_schema') > 0
        : numberOf(db, 'PRAGMA application_id') !== APPLICATION_ID
    if (foreign) return refuse('ledger.foreign')
    if (version > migrations.length)
      return refuse('ledger.newer', { found: String(version), known: String(migrations.length) })
    for (const sql of migrations.slice(version)) db.exec(sql)
    db.exec(`PRAGMA user_version = ${migrations.length}`)
    db.exec('COMMIT')
    return ok(undefined)
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

/** Whether opening a ledger would migrate it. Read-only. */
export function isOlder(file: string): boolean {
  const version = schemaOf(file)
  return version !== undefined && version < MIGRATIONS.length
}

/** The number of the last migration; 0 for an empty file, undefined if it cannot be read as a database. Read-only. */
export function schemaOf(file: string): number | undefined {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return versionOf(db)
  } catch {
    return undefined // not a ledger: opening it reports this
  } finally {
    db.close()
  }
}

export const versionOf = (db: DatabaseSync): number => numberOf(db, 'PRAGMA user_version')

function numberOf(db: DatabaseSync, query: string): number {
  return Number(Object.values(db.prepare(query).get() ?? {})[0])
}
