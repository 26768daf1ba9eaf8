import type { ClientBase } from 'pg'
import { ok, refuse, type Result } from '../../../kernel/contract/problems.ts'

/** Identifies the product in a schema, so that a wrong address never turns somebody else's tables into a ledger. */
const PRODUCT = 'sluice'

type ColumnType = 'text' | 'double precision'

/**
 * A kind of rows, with the columns that it is listed and searched by. `pos` is the cursor of a listing: it is assigned while the
 * writers' lock is held. `mac` covers what row-mac.ts says.
 */
function rows(table: string, columns: Readonly<Record<string, ColumnType>> = {}): string {
  const declared = Object.entries(columns).map(([column, type]) => `, "${column}" ${type}${collation(type)}`)
  return `
    CREATE TABLE ${table} (
      pos bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text COLLATE "C" NOT NULL UNIQUE,
      version integer NOT NULL,
      body text NOT NULL,
      mac text${declared.join('')}
    );
    ${Object.keys(columns)
      .map((column) => index(table, column))
      .join('\n')}`
}

const collation = (type: ColumnType) => (type === 'text' ? ' COLLATE "C"' : '')

/** Nearly all calls were executed: their index would contain every row and help nobody. */
const isLeftOut = (table: string, column: string) => table === 'calls' && column === 'state'

function index(table: string, column: string): string {
  const where = isLeftOut(table, column) ? `"${column}" <> 'executed'` : `"${column}" IS NOT NULL`
  return `CREATE INDEX ${table}_by_${column} ON ${table} ("${column}", pos) WHERE ${where};`
}

const TEXT = 'text' as const

const FIRST = [
  `CREATE TABLE product (name text PRIMARY KEY, schema integer NOT NULL, least integer NOT NULL);
   INSERT INTO product (name, schema, least) VALUES ('${PRODUCT}', 0, 0);`,
  rows('calls', {
    state: TEXT,
    idempotency_key: TEXT,
    identity: TEXT,
    due: TEXT,
    task_of: TEXT,
    ended_day: TEXT,
    tool_id: TEXT,
    caller: TEXT,
    user: TEXT,
    received_at: 'double precision',
  }),
  rows('approvals', { state: TEXT, identity: TEXT, user: TEXT }),
  rows('consents', { shelf: TEXT }),
  rows('runs', {
    status: TEXT,
    kind: TEXT,
    owner: TEXT,
    thread: TEXT,
    parent: TEXT,
    waits_for: TEXT,
    ended_day: TEXT,
  }),
  rows('tools', { server: TEXT }),
  rows('servers'),
  rows('pauses'),
  rows('credentials', { key_hash: TEXT }),
  rows('checkpoints'),
  rows('passphrases'),
  rows('habits'),
  rows('sessions'),
  rows('labels', { session: TEXT, ended_day: TEXT }),
  rows('logins', { user: TEXT }),
  rows('passkeys', { user: TEXT }),
  rows('pushes', { user: TEXT }),
  `
  CREATE TABLE once (key text COLLATE "C" PRIMARY KEY, until double precision NOT NULL);
  CREATE INDEX once_by_until ON once (until);
  CREATE TABLE accounts (id text COLLATE "C" PRIMARY KEY, units bigint NOT NULL, until double precision, mac text);
  CREATE INDEX accounts_by_until ON accounts (until) WHERE until IS NOT NULL;
  CREATE TABLE events (run text COLLATE "C", seq bigint, body text NOT NULL, mac text, PRIMARY KEY (run, seq));
  CREATE TABLE wakes (run text COLLATE "C", at double precision, PRIMARY KEY (run, at));
  CREATE INDEX wakes_by_at_and_run ON wakes (at, run);
  CREATE TABLE streams (number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, stream text COLLATE "C" NOT NULL UNIQUE,
    holder text COLLATE "C", mac text);
  CREATE TABLE audit (stream integer, seq bigint, hash text NOT NULL, body text NOT NULL, PRIMARY KEY (stream, seq));
  CREATE TABLE heads (stream text COLLATE "C" PRIMARY KEY, seq bigint NOT NULL, hash text NOT NULL);
  CREATE TABLE writers (id text COLLATE "C" PRIMARY KEY, batch bigint NOT NULL, done integer NOT NULL, exceptions text NOT NULL,
    asked bigint NOT NULL DEFAULT 0, at double precision NOT NULL);
  CREATE TABLE boots (boot text COLLATE "C" PRIMARY KEY, alive_until timestamptz NOT NULL, is_dead boolean NOT NULL DEFAULT false);
  CREATE TABLE artifacts (shelf text COLLATE "C", digest text COLLATE "C", body bytea, stored_at double precision NOT NULL,
    PRIMARY KEY (shelf, digest));
  CREATE INDEX artifacts_by_stored_at ON artifacts (stored_at) WHERE body IS NOT NULL;`,
].join('\n')

/** Flows, their runs and proposals, listed by composed keys; and the consents of runs. */
const FLOWS = [
  rows('flows', { shelf: TEXT, shelf_status: TEXT, shelf_flow: TEXT, shelf_flow_status: TEXT }),
  rows('flow_consents', { of_run: TEXT }),
].join('\n')

/** Documents with their versions, and what their runs store. */
const DOCUMENTS = [rows('documents', { part: TEXT, name: TEXT }), rows('agent_values', { agent: TEXT })].join('\n')

/** Counts that end with their window. */
const COUNTS = `CREATE TABLE counts (name text COLLATE "C" PRIMARY KEY, count bigint NOT NULL, ends timestamptz NOT NULL);
  CREATE INDEX counts_by_ends ON counts (ends);`

/**
 * The head of each stream has a MAC. Streams of earlier releases have none: no node of this release appends to them (boots.ts).
 */
const HEAD_MACS = 'ALTER TABLE heads ADD COLUMN mac text;'

/** The keys that nodes share, encrypted, in one row. */
const KEYRING = 'CREATE TABLE keyring (id integer PRIMARY KEY, version bigint NOT NULL, body text NOT NULL);'

/**
 * Each single-use key has a MAC, and each stream a sum of its keys: once-keys.ts. Nodes of the previous release purge without
 * changing the sum, so keys with a MAC are left to nodes of this one.
 */
const ONCE_MACS = `
  ALTER TABLE once ADD COLUMN mac text;
  CREATE TABLE once_sums (stream text COLLATE "C" PRIMARY KEY, n bigint NOT NULL, masked text NOT NULL, mac text NOT NULL);
  CREATE FUNCTION keep_key() RETURNS trigger LANGUAGE plpgsql AS $sluice$
    BEGIN
      IF OLD.mac IS NULL OR current_setting('sluice.purges', true) = 'yes' THEN RETURN OLD; END IF;
      RETURN NULL;
    END $sluice$;
  CREATE TRIGGER keep_key BEFORE DELETE ON once FOR EACH ROW EXECUTE FUNCTION keep_key();`

/**
 * Numbered from 1 by position. To add a kind of rows, add `rows('name', { column: TEXT })` as a separate migration; to add a
 * column, `ALTER TABLE name ADD COLUMN "column" text COLLATE "C";` with its index. A migration only adds: nodes of the previous
 * release continue while one of the next has already migrated. One that removes something comes a release later and names, as
 * `least`, the oldest schema that can still be used with it.
 */
export const MIGRATIONS: readonly { readonly sql: string; readonly least?: number }[] = [
  { sql: FIRST },
  { sql: FLOWS },
  { sql: DOCUMENTS },
  { sql: COUNTS },
  { sql: HEAD_MACS },
  { sql: ONCE_MACS },
  { sql: KEYRING },
]

const NAME = /^[a-z_][a-z0-9_]{0,62}$/
export const isSchemaName = (name: string): boolean => NAME.test(name) && !name.startsWith('pg_')

/**
 * Applies all missing migrations, all or nothing. A lock is held in the meantime, so if several nodes start together one migrates
 * and the others find it done. `functions` are created again if they are missing.
 */
export async function migrate(
  client: ClientBase,
  schema: string,
  functions: readonly string[],
  migrations = MIGRATIONS,
): Promise<Result<void>> {
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock(hashtext($1), 1)', [`${PRODUCT} ${schema}`])
    const found = await schemaOf(client, schema)
    if (found === 'foreign') return refuse('ledger.foreign')
    const { version, least } = found
    if (least > migrations.length)
      return refuse('ledger.newer', { found: String(version), known: String(migrations.length) })
    if (version === 0) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
    for (const { sql } of migrations.slice(version)) await client.query(sql)
    if (version < migrations.length)
      await client.query('UPDATE product SET schema = $1, least = $2', [
        migrations.length,
        Math.max(least, ...migrations.map((one) => one.least ?? 1)),
      ])
    for (const sql of functions) await client.query(sql)
    await client.query('COMMIT')
    return ok(undefined)
  } finally {
    // Does nothing after COMMIT.
    await client.query('ROLLBACK').catch(() => undefined)
  }
}

/** The schema's version and the oldest release's that may use it; version 0 for an empty one. */
export async function schemaOf(
  client: Pick<ClientBase, 'query'>,
  schema: string,
): Promise<{ readonly version: number; readonly least: number } | 'foreign'> {
  const tables = await client.query<{ name: string }>(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1',
    [schema],
  )
  if (tables.rows.length === 0) return { version: 0, least: 0 }
  if (!tables.rows.some(({ name }) => name === 'product')) return 'foreign'
  const product = await client.query<{ version: number; least: number }>(
    `SELECT schema AS version, least FROM ${schema}.product WHERE name = $1`,
    [PRODUCT],
  )
  return product.rows[0] ?? 'foreign'
}
