import type { CallRow } from '../contract/call.ts'
import { endApproval, type EndDeps } from '../approvals/end-approval.ts'
import type { Doubts } from '../changes/settle-doubts.ts'
import { isUnrecorded } from '../changes/unrecorded.ts'
import type { Change, CommitId, Version } from '../ports/ledger.ts'
import { auditOf } from './call-changes.ts'

export type EndUnsentDeps = EndDeps & {
  readonly doubts: Doubts
  readonly persist: (attempt: () => Promise<boolean>) => void
}

/** A call as stored if the commit in doubt succeeded, and the row that then ends it. */
export type Unsent = { readonly stored: CallRow; readonly version: Version; readonly ended: CallRow }

/**
 * A call whose record stayed in doubt is not sent, and its caller gets that answer. If the record turns out to be stored, the call is ended
 * here: nobody else would end an `executing` call of this process, and nobody should approve a request that was given up.
 */
export function endUnsent(deps: EndUnsentDeps, id: CommitId, unsent: Unsent): void {
  const end = () => (unsent.stored.state === 'executing' ? endStarted(deps, unsent) : withdrawHeld(deps, unsent))
  const endIfStored = async () => {
    if ((await deps.doubts.known(id)) === 'committed') deps.persist(end)
  }
  void endIfStored()
}

/** False if it has to be retried. Lost means that it was already ended. */
async function endStarted(deps: EndUnsentDeps, { stored, version, ended }: Unsent): Promise<boolean> {
  const about = { code: 'audit.in_doubt' }
  const changes: Change[] = [
    { kind: 'swap', table: 'calls', id: stored.call_id, from: version, to: ended },
    {
      kind: 'audit',
      entry: auditOf('call.stopped', ended, deps.clock(), { actor: 'gate', outcome: ended.state, about }),
    },
  ]
  return !isUnrecorded(await deps.ledger.commit(changes))
}

async function withdrawHeld(deps: EndUnsentDeps, { stored }: Unsent): Promise<boolean> {
  if (stored.state !== 'pending' || stored.approval_id === undefined) return true
  const held = await deps.tables.row('approvals', stored.approval_id)
  if (held === undefined) return true
  const withdrawn = await endApproval(deps, held, 'gate', 'withdraw')
  return withdrawn.ok || !['audit.unavailable', 'audit.in_doubt'].includes(withdrawn.problem.code)
}
