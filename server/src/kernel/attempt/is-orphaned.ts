import type { CallRow } from '../contract/call.ts'
import type { Liveness } from '../ports/liveness.ts'

/** Whether the boot that executes or verifies this call is dead. Rows of early releases name none, and none of those is alive. */
export async function isOrphaned({ isAlive }: Pick<Liveness, 'isAlive'>, { boot }: CallRow): Promise<boolean> {
  return boot === undefined || !(await isAlive(boot))
}
