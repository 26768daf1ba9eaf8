import { DECIDING_KINDS, type Caller } from '../contract/caller.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'
import type { ApprovalRow } from '../contract/approval.ts'

/** Decisions by role require the approver role. An agent credential can never decide, whoever owns it. */
export function mayDecide(caller: Caller): Result<void> {
  if (DECIDING_KINDS.includes(caller.kind)) return ok(undefined)
  return refuse('auth.forbidden', { needs: DECIDING_KINDS.join(', ') })
}

/** Whether approving this requires the approver's passphrase, whatever the configuration says. A token cannot replace it. */
export const needsPassphrase = ({ evidence }: Pick<ApprovalRow, 'evidence'>): boolean =>
  evidence.some(({ effect, proof }) => effect === 'ask' && proof === 'passphrase')
