import type { ApprovalRow } from '../contract/approval.ts'
import type { AuditEntry } from '../contract/audit.ts'
import type { CallRow } from '../contract/call.ts'
import type { AuditReads } from '../ports/reads.ts'
import { isToBeRetried } from './retry-call.ts'

/** The audit types for what a person or the recovery decided about a call. */
const DECISIONS: readonly string[] = ['approval.approved', 'call.settled', 'call.interrupted']

/** Only an approval lets a call start, or for an idempotent one the order of a retry, by a person or the recovery. */
function letsStart({ type, about }: AuditEntry, row: CallRow): boolean {
  if (!isToBeRetried(row)) return type === 'approval.approved'
  return type === 'call.interrupted' || (type === 'call.settled' && about?.['as'] === 'retry')
}
const FIRST_PAGE = 256
const PAGE = 2_048
/** An entry's time may be shortly before the decision it records. */
const SLACK_MS = 60_000

/**
 * Whether the audit says that this call was decided and has not started since. Each start has a number, which is also in the row. Rows in
 * the database can be restored to an earlier state, with their MACs; the audit cannot. The audit is read backwards to the decision, which
 * was usually made a moment ago.
 */
export async function isStartOnRecord(
  audit: Pick<AuditReads, 'namingNewest' | 'naming'>,
  row: CallRow,
  approval: ApprovalRow | undefined,
): Promise<boolean> {
  const decided_at = row.settled?.at ?? approval?.decisions.at(-1)?.at ?? row.received_at
  const newest = await audit.namingNewest(row.call_id, FIRST_PAGE)
  const found = await Promise.all(newest.map((one) => lastWord(audit, one, row.call_id, decided_at - SLACK_MS)))
  const isDecided = found.some((entry) => entry !== undefined && letsStart(entry, row))
  // Each node has its own stream, so the interrupted start can be the last entry of another one.
  const isStarted = found.some((entry) => entry?.type === STARTED && attemptIn(entry) > row.attempt)
  return isDecided && !isStarted
}

const STARTED = 'call.started'

/** The first start of a call that was never held has no number. */
function attemptIn({ about }: AuditEntry): number {
  const attempt = about?.['attempt']
  return typeof attempt === 'number' ? attempt : 1
}

async function lastWord(
  audit: Pick<AuditReads, 'naming'>,
  { stream, seq, entries }: Newest,
  call: string,
  since: number,
): Promise<AuditEntry | undefined> {
  let from = Math.max(1, seq - FIRST_PAGE + 1)
  for (let page = entries; ; page = await audit.naming(call, stream, from, PAGE)) {
    const word = page.toReversed().find((entry) => entry.subject['call'] === call && isWord(entry))
    if (word !== undefined) return word
    const first = page.find((entry) => entry.seq === from)
    // Without the first entry it is not known how old these are, so the search continues.
    if (from === 1 || (first !== undefined && first.at < since)) return undefined
    from = Math.max(1, from - PAGE)
  }
}

type Newest = Awaited<ReturnType<AuditReads['namingNewest']>>[number]

const isWord = ({ type }: AuditEntry): boolean => type === STARTED || DECISIONS.includes(type)
