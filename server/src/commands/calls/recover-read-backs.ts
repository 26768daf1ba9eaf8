import type { Shelves } from '../ports/reads.ts'
import { isStopping, verifyCall, type VerifyDeps } from './verify-call.ts'

export type RecoverReadBackDeps = VerifyDeps & { readonly shelves: Shelves; readonly boot: string }

const PAGE = 100

/** At start: read-backs that an earlier process of this gate did not come to are carried out now. */
export async function recoverReadBacks(deps: RecoverReadBackDeps): Promise<number> {
  let after: number | undefined
  let carriedOut = 0
  while (!isStopping(deps)) {
    const page = await deps.shelves.list(
      'calls',
      { due: 'verify' },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    )
    const last = page.at(-1)
    if (last === undefined) break
    after = last.cursor
    for (const { row, version } of page.filter((held) => held.row.boot !== deps.boot)) {
      if (isStopping(deps)) break
      await verifyCall(deps, { row, version })
      carriedOut += 1
    }
  }
  return carriedOut
}
