import { ok, refuse, type Result } from '../../../kernel/contract/problems.ts'
import { rowMacs } from '../row-mac.ts'
import type { StoreEngine, StoreSettings, KeyringWork } from '../store-engine.ts'
import { databaseArtifacts } from './artifacts.ts'
import { joinBoots } from './boots.ts'
import { openRedisWire } from '../redis/wire.ts'
import { openUsedKeys, refuseUsed } from '../redis/used-keys.ts'
import { connect, unreachable, type PostgresAddress } from './connect.ts'
import { joinNotices, type OpenNoticeWire } from './notices.ts'
import { hasAllKeys } from './once-keys.ts'
import { openPostgresLedger } from './open-postgres-ledger.ts'
import { readQueries, type ReadQueries } from './read-queries.ts'
import { reads } from './reads.ts'
import { openRunJobs } from './run-jobs.ts'
import { isSchemaName, MIGRATIONS, schemaOf, migrate } from './schema.ts'
import { FUNCTIONS } from './functions.ts'
import { hash } from 'node:crypto'
import type { Counted, Counts } from '../../../kernel/ports/counts.ts'

/** Keeps other nodes from reading or changing the keyring until `work` has ended and what it returns is stored. */
async function withKeyring<T>(address: PostgresAddress, work: KeyringWork<T>): Promise<Result<T>> {
  try {
    const client = await connect(address, 'keyring')
    try {
      const migrated = await migrate(client, address.schema, FUNCTIONS)
      if (!migrated.ok) return migrated
      await client.query('BEGIN')
      await client.query("SELECT pg_advisory_xact_lock(hashtext('sluice ' || current_schema()), 4)")
      const found = await client.query<{ version: number; body: string }>('SELECT version, body FROM keyring')
      const done = await work(found.rows[0])
      if (!done.ok) return done
      const { store, value } = done.value
      if (store !== undefined)
        await client.query(
          `INSERT INTO keyring (id, version, body) VALUES (1, $1, $2)
            ON CONFLICT (id) DO UPDATE SET version = excluded.version, body = excluded.body`,
          [store.version, store.body],
        )
      await client.query('COMMIT')
      return ok(value)
    } finally {
      await client.end().catch(() => undefined)
    }
  } catch (error) {
    return unreachable(address, error)
  }
}

const NOWHERE: PostgresAddress = { url: '', schema: '' }
const addressOf = ({ postgres }: StoreSettings): PostgresAddress => postgres ?? NOWHERE

/** A Postgres database: many nodes. */
export const postgresEngine: StoreEngine = {
  async open({ stream, boot = '', rows, alone = false, drives = false, ...setup }) {
    const address = addressOf(setup)
    const sound = checkAddress(address)
    if (!sound.ok) return sound
    const jobs = drives ? await openRunJobs(address, setup.onFault) : undefined
    if (jobs?.ok === false) return jobs
    const enqueue = jobs?.value.enqueue
    const opened = await openPostgresLedger({
      ...setup,
      address,
      stream,
      boot,
      alone,
      key: rows.key,
      ...(enqueue === undefined ? {} : { enqueue }),
    })
    if (!opened.ok) {
      await jobs?.value.close()
      return opened
    }
    const { value: engine } = opened
    const queries = readQueries(address)
    const { redis } = setup
    // The connection for notices already reports that Redis is down. The ledger works without it.
    const used = redis === undefined ? undefined : await openUsedKeys({ ...address, ...redis }, () => {})
    return ok({
      ledger: used === undefined ? engine : refuseUsed(engine, used),
      tables: engine,
      searches: engine,
      accounts: engine,
      audit: engine,
      tail: engine,
      journal: engine,
      artifacts: databaseArtifacts(queries, setup.sealer),
      counts: databaseCounts(queries),
      ...(jobs === undefined ? {} : { jobs: jobs.value.jobs }),
      // Postgres removes old versions of rows by itself (autovacuum).
      scrub: async () => {},
      async close() {
        await jobs?.value.close()
        await engine.close()
        await used?.close()
        await queries.close()
      },
    })
  },

  async join(settings, { onOwnDeath, onFault, onRedisFault }) {
    const address = addressOf(settings)
    const sound = checkAddress(address)
    if (!sound.ok) return sound
    const joined = await joinBoots({ address, onOwnDeath, onFault })
    if (!joined.ok) return joined
    const { redis } = settings
    const wire: OpenNoticeWire | undefined =
      redis && ((callbacks) => openRedisWire({ ...address, ...redis }, { ...callbacks, onFault: onRedisFault }))
    const notices = await joinNotices(address, wire)
    if (!notices.ok) {
      await joined.value.leave()
      return notices
    }
    return ok({
      notices: notices.value,
      liveness: joined.value,
      stream: joined.value.stream,
      async leave() {
        await notices.value.leave()
        await joined.value.leave()
      },
    })
  },

  async state(settings) {
    const found = await versionOf(settings)
    if (!found.ok) return found
    return ok(found.value.version === 0 || !found.value.isUsed ? undefined : { bytes: found.value.bytes })
  },

  async needsMigration(settings) {
    const found = await versionOf(settings)
    return found.ok && found.value.version > 0 && found.value.version < MIGRATIONS.length
  },

  async hasRowMacs(settings) {
    const found = await versionOf(settings)
    return found.ok && found.value.isUsed
  },

  async openForReads(settings, key, onForged) {
    const queries = readQueries(addressOf(settings))
    const macs = rowMacs(key)
    const all = reads(queries, macs, onForged)
    return {
      tables: all,
      audit: all,
      accounts: all,
      async hasAllKeys() {
        const client = await connect(addressOf(settings), 'keys')
        try {
          const { rows } = await client.query<{ known: boolean }>(
            "SELECT to_regclass('once_sums') IS NOT NULL AS known",
          )
          // Before the migration that gives keys their MACs.
          if (rows[0]?.known !== true) return true
          return await hasAllKeys(client, macs, (id) => onForged({ table: 'once', id }))
        } finally {
          await client.end().catch(() => undefined)
        }
      },
      close: () => queries.close(),
    }
  },

  async withKeyring(settings, work) {
    const address = addressOf(settings)
    const sound = checkAddress(address)
    return sound.ok ? withKeyring(address, work) : sound
  },
}

type Version = { readonly version: number; readonly isUsed: boolean; readonly bytes: number }

/** `isUsed`: an audit entry was stored, so a gate has used it. */
async function versionOf(settings: StoreSettings): Promise<Result<Version>> {
  const address = addressOf(settings)
  const sound = checkAddress(address)
  if (!sound.ok) return sound
  try {
    const client = await connect(address, 'check')
    try {
      const found = await schemaOf(client, address.schema)
      if (found === 'foreign') return refuse('ledger.foreign')
      if (found.version === 0) return ok({ version: 0, isUsed: false, bytes: 0 })
      const heads = await client.query('SELECT 1 FROM heads LIMIT 1')
      const size = await client.query<{ bytes: number }>(
        'SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint AS bytes FROM pg_class c WHERE c.relnamespace = $1::regnamespace AND c.relkind = $2',
        [address.schema, 'r'],
      )
      return ok({ version: found.version, isUsed: heads.rows.length > 0, bytes: size.rows[0]?.bytes ?? 0 })
    } finally {
      await client.end().catch(() => undefined)
    }
  } catch (error) {
    return unreachable(address, error)
  }
}

/** INVARIANT: a schema's name becomes SQL, so it must be a plain name. */
function checkAddress(address: PostgresAddress): Result<void> {
  if (address.url === '')
    return unreachable(address, new Error('the variable or file that `store.postgres` refers to is missing or empty'))
  if (!/^postgres(?:ql)?:\/\//.test(address.url))
    return unreachable(address, new Error('the address does not begin with `postgres://`'))
  return isSchemaName(address.schema)
    ? ok(undefined)
    : unreachable(address, new Error('the name of a schema may contain only lower-case letters, digits and `_`'))
}

/** By the database's clock alone, in the order of names, so that two nodes never deadlock. */
const ADD = `WITH quick AS (SELECT set_config('synchronous_commit', 'off', true)),
  given AS (SELECT name, by FROM unnest($1::text[], $2::int[]) AS g(name, by), quick ORDER BY name)
  INSERT INTO counts AS c (name, count, ends) SELECT name, greatest(by, 0), clock_timestamp() + $3::float8 * interval '1 millisecond' FROM given
  ON CONFLICT (name) DO UPDATE SET
    count = CASE WHEN c.ends <= clock_timestamp() OR c.count = 0 THEN excluded.count ELSE greatest(c.count + (SELECT by FROM given WHERE given.name = excluded.name), 0) END,
    ends = CASE WHEN c.ends <= clock_timestamp() OR c.count = 0 THEN excluded.ends ELSE c.ends END
  RETURNING name, count, extract(epoch FROM ends - clock_timestamp())::float8 * 1000 AS left_ms`
const FORGET = `DELETE FROM counts WHERE name IN (SELECT name FROM counts WHERE ends < clock_timestamp() LIMIT 1000)`
const FORGET_EVERY_MS = 60_000

/** Counts in the database. Names are stored as digests. */
function databaseCounts(queries: ReadQueries): Counts {
  let forgotAt = 0
  return {
    async add(parts, window_ms) {
      const now = Date.now()
      if (now - forgotAt > FORGET_EVERY_MS) {
        forgotAt = now
        await queries.all(FORGET, [])
      }
      const names = parts.map(({ name }) => hash('sha256', name))
      const found = await queries.all<Counted & { readonly name: string }>(ADD, [
        names,
        parts.map(({ by }) => by),
        window_ms,
      ])
      const byName = new Map(found.map((row) => [row.name, { count: row.count, left_ms: row.left_ms }]))
      return names.map((name) => byName.get(name) ?? { count: 0, left_ms: window_ms })
    },
  }
}
