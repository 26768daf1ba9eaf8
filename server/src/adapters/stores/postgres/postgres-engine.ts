import { ok, refuse, type Result } from '../../../kernel/contract/problems.ts'
import { rowMacs } from '../row-mac.ts'
import type { StoreEngine, StoreSettings } from '../store-engine.ts'
import { databaseArtifacts } from './artifacts.ts'
import { joinBoots } from './boots.ts'
import { databaseCounts } from './counts.ts'
import { openRedisWire } from '../redis/wire.ts'
import { openUsedKeys, refuseUsed } from '../redis/used-keys.ts'
import { connect, unreachable, type PostgresAddress } from './connect.ts'
import { withKeyring } from './keyring.ts'
import { joinNotices, type OpenWire } from './notices.ts'
import { hasAllKeys } from './once-keys.ts'
import { openPostgresLedger } from './open-postgres-ledger.ts'
import { readQueries } from './read-queries.ts'
import { reads } from './reads.ts'
import { openRunJobs } from './run-jobs.ts'
import { isSchemaName, MIGRATIONS, schemaOf } from './schema.ts'

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
    const wire: OpenWire | undefined =
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
