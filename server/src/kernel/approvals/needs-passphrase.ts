import type { ApprovalRow } from '../contract/approval.ts'

/** Whether approving this requires the approver's passphrase, whatever the configuration says. A token cannot replace it. */
export const needsPassphrase = ({ evidence }: Pick<ApprovalRow, 'evidence'>): boolean =>
  evidence.some(({ effect, proof }) => effect === 'ask' && proof === 'passphrase')
