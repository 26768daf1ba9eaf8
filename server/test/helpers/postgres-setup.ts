import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stopPostgres } from './start-postgres.ts'

/** Where the one Postgres of this run of the tests is. The first test that needs it starts it. */
export const FOLDER_VARIABLE = 'TEST_POSTGRES_FOLDER'

export function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-postgres-'))
  process.env[FOLDER_VARIABLE] = folder
  return async () => {
    await stopPostgres(folder)
    rmSync(folder, { recursive: true, force: true })
  }
}
