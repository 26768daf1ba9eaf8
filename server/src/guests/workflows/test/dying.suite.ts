import type { Scenario } from '../../../../test/crash/dying.ts'
import { carryOut, openForCrash } from './carry-out.suite.ts'

export type DyingDocument = { readonly folder: string; readonly model: string }

/** A document, until its run is over. */
export const live: Scenario<DyingDocument> = async ({ folder, model }, { reach, arm }) => {
  const rig = await openForCrash(folder, model, reach)
  arm()
  const { status } = await carryOut(rig)
  if (status !== 'done') throw new Error(`the run is ${status}`)
  await rig.close()
}
