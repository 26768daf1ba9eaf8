import { chownSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import { freePort } from '../free-port.ts'
import { asNobody, startServer } from '../helpers/start-postgres.ts'
import { until } from './node-checks.ts'

export type Server = { readonly folder: string; readonly port: number }

async function withClient<T>(port: number, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ host: '127.0.0.1', port, user: 'sluice', database: 'postgres' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Files that a base backup leaves out. The standby streams the log from the slot's position on. */
const LEFT_OUT = ['postmaster.pid', 'postmaster.opts', 'pg_wal', 'pg_replslot', 'server.pid', 'standby.signal']
const SLOT = 'standby'

/**
 * A second server from a base backup of the first, which streams its log. With `isSynchronous` the first acknowledges a commit only after the
 * second has flushed it.
 */
export async function startStandby(
  primary: Server,
  at: { readonly folder: string; readonly postgres: string; readonly isSynchronous: boolean },
): Promise<Server> {
  const data = join(at.folder, 'data')
  mkdirSync(data, { recursive: true, mode: 0o700 })
  await withClient(primary.port, async (client) => {
    await client.query('SELECT pg_create_physical_replication_slot($1, true)', [SLOT])
    await client.query("SELECT pg_backup_start('standby', fast => true)")
    const from = join(primary.folder, 'data')
    for (const name of readdirSync(from))
      if (!LEFT_OUT.includes(name)) cpSync(join(from, name), join(data, name), { recursive: true })
    const stopped = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()')
    writeFileSync(join(data, 'backup_label'), stopped.rows[0]?.labelfile ?? '')
  })
  for (const folder of ['pg_wal', 'pg_replslot']) mkdirSync(join(data, folder), { mode: 0o700 })
  const from = `host=127.0.0.1 port=${primary.port} user=sluice application_name=standby`
  // ALTER SYSTEM settings of the first server do not apply to the second.
  writeFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\nprimary_slot_name = '${SLOT}'\n`)
  writeFileSync(join(data, 'standby.signal'), '')
  giveToPostgres(at.folder)
  const port = await freePort()
  await startServer({ postgres: at.postgres, folder: at.folder, port })
  await replicates(primary, 'streaming', 'state')
  if (at.isSynchronous) {
    await withClient(primary.port, async (client) => {
      await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'")
      await client.query('SELECT pg_reload_conf()')
    })
    await replicates(primary, 'sync', 'sync_state')
  }
  return { folder: at.folder, port }
}

async function replicates({ port }: Server, wanted: string, column: 'state' | 'sync_state'): Promise<void> {
  await until(
    () => `the standby is not \`${wanted}\``,
    () =>
      withClient(port, async (client) => {
        const found = await client.query<{ is: string }>(`SELECT ${column} AS is FROM pg_stat_replication`)
        return found.rows.some(({ is }) => is === wanted)
      }),
  )
}

/** Promotes the standby: it accepts commits from now on. */
export async function promote({ port }: Server): Promise<void> {
  await withClient(port, (client) => client.query('SELECT pg_promote()'))
  await until(
    () => 'the standby was not promoted',
    () =>
      withClient(port, async (client) => {
        const found = await client.query<{ is: boolean }>('SELECT pg_is_in_recovery() AS is')
        return found.rows[0]?.is === false
      }),
  )
}

/** Postgres does not run as root, and reads only what belongs to it. */
function giveToPostgres(folder: string): void {
  const { uid, gid } = asNobody
  if (uid === undefined || gid === undefined) return
  chownSync(folder, uid, gid)
  for (const name of readdirSync(folder, { recursive: true })) chownSync(join(folder, String(name)), uid, gid)
}
