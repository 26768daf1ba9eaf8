import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { binaries, startPostgres, stopPostgres } from '../../server/test/helpers/start-postgres.ts'
import { POSTGRES_VARIABLE } from './postgres-systems.ts'

export const isPostgresThere = (): boolean => process.env[POSTGRES_VARIABLE] !== undefined

/** A separate Postgres for the measurement, configured by default: every commit is flushed. Undefined if there is none for this machine. */
export async function startBenchPostgres(): Promise<{ stop(): Promise<void> } | undefined> {
  const found = await binaries()
  if (found === undefined) {
    console.error('there is no Postgres for this machine: systems on Postgres are left out')
    return undefined
  }
  const folder = join(tmpdir(), `sluice-bench-postgres-${process.pid}`)
  const port = await startPostgres(folder, found)
  process.env[POSTGRES_VARIABLE] = `postgres://sluice@127.0.0.1:${port}/postgres`
  return {
    async stop() {
      await stopPostgres(folder)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
