import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { built } from '../../../../test/built/built.ts'
import { runId, wholeChain } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'

const folder = freshFolders()
const WRITER = built(fileURLToPath(new URL('./killed-writer.suite.ts', import.meta.url)))

/** Runs a writer, kills it after this many commits have returned, and returns the ids of all that have. */
async function killAfter(file: string, commits: number): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const acknowledged: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    // The last line may be cut short by the kill.
    if (line.length === 16) acknowledged.push(line)
    if (acknowledged.length === commits) child.kill('SIGKILL')
  }
  expect((await exited)[1]).toBe('SIGKILL')
  return acknowledged
}

test('every commit that returned before a SIGKILL is stored completely, and the chain continues without a gap', async () => {
  const file = join(folder(), 'ledger.db')
  const acknowledged: string[] = []
  for (const commits of [50, 500, 333]) {
    acknowledged.push(...(await killAfter(file, commits)))
    const store = await openStore(file)
    for (const id of acknowledged) expect(await store.row('calls', id), id).toBeDefined()
    // Those in progress may be stored too, but never in part.
    const written = (await wholeChain(store, 'main')).map(({ subject }) => subject['call'])
    const rows = await store.list('calls', {}, { limit: 100_000 })
    const events = await store.events(runId(1), 0, 100_000)
    expect(rows.map(({ row }) => row.call_id)).toEqual(written)
    expect(events.map(({ event }) => event['id'])).toEqual(written)
    await store.close()
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(883)
})
