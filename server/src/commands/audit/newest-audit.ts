import type { AuditEntry } from '../../contract/audit.ts'
import type { AuditReads } from '../ports/reads.ts'

/** The newest entries of a stream, in ascending order. */
export async function newestAudit(audit: AuditReads, stream: string, limit: number): Promise<readonly AuditEntry[]> {
  const head = (await audit.heads()).find((each) => each.stream === stream)
  if (head === undefined || limit < 1) return []
  return audit.entries(stream, Math.max(1, head.seq - limit + 1), limit)
}
