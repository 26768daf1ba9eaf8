import type { ApprovalRow } from '../../contract/approval.ts'

/** Whether whoever approves this gives their passphrase, whatever the configuration says. No token takes its place. */
export const wantsPassphrase = ({ evidence }: Pick<ApprovalRow, 'evidence'>): boolean =>
  evidence.some(({ effect, proof }) => effect === 'ask' && proof === 'passphrase')
