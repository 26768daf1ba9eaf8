import { ok, type Result } from '../../../kernel/contract/problems.ts'
import type { KeyringWork } from '../store-engine.ts'
import { connect, unreachable, type PostgresAddress } from './connect.ts'
import { FUNCTIONS } from './functions.ts'
import { migrate } from './schema.ts'

/** Keeps other nodes from reading or changing the keyring until `work` has ended and what it returns is stored. */
export async function withKeyring<T>(address: PostgresAddress, work: KeyringWork<T>): Promise<Result<T>> {
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
