import { writeSync } from 'node:fs'
import type { Ledger, CommitResults } from '../../src/kernel/ports/ledger.ts'
import type { Perform } from '../../src/kernel/runs/performer.ts'
import { RUN_KINDS } from '../run-kinds.ts'
import { doWork, openWork, recordTo } from './chaos-work.ts'
import type { ChildOrder } from './crash-cases.ts'

/**
 * A gate that does the work and is killed by SIGKILL when it reaches a named point for the nth time, or before or after its nth commit. One that
 * is not killed reports how often each was reached. With `twice` every effect that may be repeated is performed twice.
 */
const order = JSON.parse(process.argv[2] ?? '') as ChildOrder
const seen = new Map<string, number>()
let isArmed = false

function reach(place: string): void {
  if (!isArmed) return
  const times = (seen.get(place) ?? 0) + 1
  seen.set(place, times)
  if (place !== order.kill?.at || times !== order.kill.nth) return
  writeSync(1, `died at ${place}, time ${times}\n`)
  process.kill(process.pid, 'SIGKILL')
}

const ledger = (inner: Ledger & CommitResults): Ledger & CommitResults => ({
  resultOf: (id) => inner.resultOf(id),
  async commit(changes) {
    reach('commit.before')
    const committed = await inner.commit(changes)
    reach('commit.after')
    return committed
  },
})

const REPEATABLE = new Set(
  [...RUN_KINDS.values()].flatMap(({ effects }) =>
    Object.entries(effects).flatMap(([kind, repeat]) => (repeat === 'once' ? [] : [kind])),
  ),
)

function perform(kind: string, inner: Perform): Perform {
  if (order.twice === undefined || !REPEATABLE.has(kind)) return inner
  return async (effect, performing) => {
    reach(`twice ${kind}`)
    if (order.twice === 'at once') {
      const [first, second] = await Promise.all([inner(effect, performing), inner(effect, performing)])
      return first === 'later' ? second : first
    }
    await inner(effect, performing)
    return inner(effect, performing)
  }
}

const work = await openWork(order.place, { probe: reach, around: { ledger, perform } })
isArmed = true
await doWork(work, recordTo(order.records))
isArmed = false
writeSync(1, `survived ${JSON.stringify(Object.fromEntries(seen))}\n`)
await work.opened.close()
process.exit(0)
