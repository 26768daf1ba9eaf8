import { existsSync, readFileSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import type { Death } from '../ledger-doubts.suite.ts'
import type { WriterSetup } from './worker-link.ts'

/**
 * A writing thread that dies once, as the file `<ledger>.death` says. Its first line names the moment; the second, if there is
 * one, a text that the batch has to contain. While there is a file `<ledger>.away`, no new thread starts.
 */
const { file } = workerData as WriterSetup
const order = `${file}.death`

function deathNow(): Death | undefined {
  if (armed === undefined) return undefined
  const death = armed
  armed = undefined
  return death
}

if (existsSync(`${file}.away`)) process.exit(1)
let armed: Death | undefined
const port = parentPort
if (port === null) throw new Error('runs only as a worker thread')

const failure = () => Object.assign(new Error('disk I/O error'), { errcode: 1034 })
const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest)
  if (sql !== 'COMMIT') return statement
  const { run } = statement
  statement.run = () => {
    if (armed === 'before commit') process.exit(1)
    if (armed === 'commit fails, nothing stored' && deathNow()) throw failure()
    const done = run.call(statement, {})
    if (armed === 'after commit') process.exit(1)
    if (armed === 'commit fails, stored' && deathNow()) throw failure()
    return done
  }
  return statement
}

// Receives it before the writer does.
port.on('message', (message: unknown) => {
  if (!existsSync(order)) return
  const [death = '', text = ''] = readFileSync(order, 'utf8').split('\n')
  if (!JSON.stringify(message).includes(text)) return
  rmSync(order)
  if (death === 'on arrival') process.exit(1)
  armed = death as Death
})

await import('./worker.ts')
