import type { Liveness } from '../ports/liveness.ts'
import type { Tables } from '../ports/reads.ts'
import { isOrphaned } from './is-orphaned.ts'
import { isStopping, verifyCall, type VerifyDeps } from './verify-call.ts'

export type RecoverReadBackDeps = VerifyDeps & {
  readonly tables: Tables
  readonly liveness: Pick<Liveness, 'isAlive'>
}

const PAGE = 100

/** At start, and when another node dies: performs the read-backs that a dead boot left open. */
export async function recoverReadBacks(deps: RecoverReadBackDeps): Promise<number> {
  let after: number | undefined
  let carriedOut = 0
  while (!isStopping(deps)) {
    const page = await deps.tables.list(
      'calls',
      { due: 'verify' },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    )
    const last = page.at(-1)
    if (last === undefined) break
    after = last.cursor
    for (const { row, version } of page) {
      if (isStopping(deps)) break
      if (!(await isOrphaned(deps.liveness, row))) continue
      await verifyCall(deps, { row, version })
      carriedOut += 1
    }
  }
  return carriedOut
}
