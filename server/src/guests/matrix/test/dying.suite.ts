import type { Scenario } from '../../../../test/crash/dying.ts'
import { ADMIN } from '../../../../test/helpers/with-gate.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import { runDocument } from '../../workflows/run-document.ts'
import { openWorkflows } from '../../workflows/test/with-workflows.suite.ts'

export type DyingSender = {
  readonly folder: string
  readonly transports: unknown
  readonly input: { readonly id: number }
}

/** A run that sends a message to a room of a homeserver. */
export const live: Scenario<DyingSender> = async ({ folder, transports, input }, { reach, arm }) => {
  const rig = await openWorkflows(folder, { transport: false, config: { transports }, probe: reach })
  arm()
  const { run_id } = valueOf(await runDocument(rig.ports, ADMIN, 'clerk', { protocol: 'clerk.file.v1', input }))
  await rig.ended(run_id)
  await rig.close()
}
