import { DECIDING_KINDS, type Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import { refuseUnrecorded } from '../changes/unrecorded.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Clock, Ids } from '../ports/runtime.ts'
import type { ServerReport } from './server-report.ts'

export type RetryPorts = {
  readonly ledger: Ledger
  readonly clock: Clock
  readonly ids: Ids
  readonly serverReports: () => readonly ServerReport[]
  /** Tries at once to reach a server that is down; waits for the outcome, but not long. */
  readonly retryServer: (server: string) => Promise<void>
}

/**
 * Starts or connects a tool server that is down at once, instead of waiting for the next regular attempt. One that is ready is
 * left alone. On several nodes, only the node that is asked tries. INVARIANT: who asked for it is recorded before it is done.
 */
export async function retryServer(deps: RetryPorts, caller: Caller, server: string): Promise<Result<ServerReport>> {
  if (!DECIDING_KINDS.includes(caller.kind)) return refuse('auth.forbidden', { needs: DECIDING_KINDS.join(', ') })
  const report = () => deps.serverReports().find((one) => one.server === server)
  const before = report()
  if (before === undefined) {
    const known = deps.serverReports().map((one) => one.server)
    return refuse('server.unknown', { server, known: known.join(', ') })
  }
  if (before.state !== 'waiting' && before.state !== 'needs_login') return ok(before)
  const recorded = await deps.ledger.commit([
    {
      kind: 'audit',
      entry: {
        at: deps.clock(),
        type: 'server.retried',
        actor: caller.id,
        trace: deps.ids.trace(),
        subject: { server },
        about: { state: before.state },
      },
    },
  ])
  if (recorded !== 'committed') return refuseUnrecorded(recorded)
  await deps.retryServer(server)
  return ok(report() ?? before)
}
