import { up } from '../../src/main/up.ts'
import type { Scenario } from './dying.ts'

/** A gate that listens like any other, in the folder where it is started. */
export const live: Scenario<undefined> = async (_order, { reach, arm }) => {
  arm()
  process.exitCode = await up({ trust: true }, { probe: reach })
}
