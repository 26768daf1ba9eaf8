import { randomBytes } from 'node:crypto'
import { newCall, note, runId } from '../ledger-fixtures.suite.ts'
import { openStore } from './open-store.suite.ts'

/** Commits endlessly and prints the id of each commit that has returned, until it is killed. */
const store = await openStore(process.argv[2] ?? '')
const client = async (): Promise<never> => {
  for (;;) {
    const id = randomBytes(8).toString('hex')
    const event = { kind: 'event', run: runId(1), event: { type: 'committed', id } } as const
    const outcome = await store.commit([newCall(id), event, note(id)])
    // Waits for a slower reader, which `writeSync` does not.
    if (outcome === 'committed') process.stdout.write(`${id}\n`)
  }
}
await Promise.all(Array.from({ length: 16 }, client))
