import type { Ledger, CommitResults } from '../../src/kernel/ports/ledger.ts'
import type { Perform } from '../../src/kernel/runs/performer.ts'
import type { Dying, Scenario } from '../crash/dying.ts'
import { RUN_KINDS } from '../run-kinds.ts'
import { doWork, openWork, recordTo } from './chaos-work.ts'
import type { WorkOrder } from './crash-cases.ts'

/** The work, with each commit as two more places to die at. With `twice` every effect that may be repeated is performed twice. */
export const live: Scenario<WorkOrder> = async ({ place, records, twice }, { reach, arm }) => {
  const around = { ledger: mortal(reach), perform: repeating(reach, twice) }
  const work = await openWork(place, { probe: reach, around })
  arm()
  await doWork(work, recordTo(records))
  await work.opened.close()
}

const mortal =
  (reach: Dying['reach']) =>
  (inner: Ledger & CommitResults): Ledger & CommitResults => ({
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

const repeating =
  (reach: Dying['reach'], twice: WorkOrder['twice']) =>
  (kind: string, inner: Perform): Perform => {
    if (twice === undefined || !REPEATABLE.has(kind)) return inner
    return async (effect, performing) => {
      reach(`twice ${kind}`)
      if (twice === 'at once') {
        const [first, second] = await Promise.all([inner(effect, performing), inner(effect, performing)])
        return first === 'later' ? second : first
      }
      await inner(effect, performing)
      return inner(effect, performing)
    }
  }
