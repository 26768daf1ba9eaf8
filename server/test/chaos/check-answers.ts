import type { CallStory, History, ReportViolation, AnsweredCall, SentDecision } from './history.ts'

/** The states that a call may have after this state was reported to a client. */
const MAY_BECOME: Readonly<Record<string, readonly string[]>> = {
  executed: ['executed'],
  failed: ['failed'],
  refused: ['refused', 'failed'],
  unknown: ['unknown', 'executed', 'failed', 'executing'],
}

/** No state that was reported to a client is lost. */
export function checkAnswers(
  { records, runs, audit }: History,
  stories: ReadonlyMap<string, CallStory>,
  report: ReportViolation,
): void {
  const known = new Set<string>(runs.map(({ run_id }) => run_id))
  const decided = Map.groupBy(audit, ({ subject }) => subject['approval'] ?? '')
  for (const one of records) {
    if (one.is === 'call') checkCall(one, stories.get(one.call_id), report)
    else if (one.is === 'decision' && one.acknowledged)
      checkDecision(one, typesOf(decided.get(one.approval_id)), report)
    else if (one.is === 'settlement' && one.acknowledged) {
      const entries = stories.get(one.call_id)?.entries ?? []
      const isRecorded = entries.some(({ type, about }) =>
        // A retry that may repeat an effect is a request.
        type === 'call.retry_held' ? one.as === 'retry' : type === 'call.settled' && about?.['as'] === one.as,
      )
      if (!isRecorded)
        report('acknowledged_and_lost', one.call_id, `it was settled as \`${one.as}\`, and the audit has nothing of it`)
    } else if (one.is === 'run' && !known.has(one.run_id))
      report('acknowledged_and_lost', one.run_id, 'the client was given a run that the ledger does not have')
  }
  checkKeys(records, report)
}

const typesOf = (entries: readonly { readonly type: string }[] = []): readonly string[] =>
  entries.map(({ type }) => type)

function checkCall(
  { call_id, status, not_sent }: AnsweredCall,
  story: CallStory | undefined,
  report: ReportViolation,
): void {
  if (story === undefined)
    // A commit in doubt may turn out not to be stored: then the client got the answer that nothing was sent.
    return not_sent === true
      ? undefined
      : report('acknowledged_and_lost', call_id, `reported as \`${status}\`, and not in the ledger`)
  const { row, receipts, entries } = story
  const ways = MAY_BECOME[status]
  if (ways !== undefined && !ways.includes(row.state))
    report('acknowledged_and_lost', call_id, `reported as \`${status}\`, and \`${row.state}\` in the ledger`)
  if (entries.length === 0) report('acknowledged_and_lost', call_id, `reported as \`${status}\`, and not in the audit`)
  if (status === 'pending' && story.approval === undefined)
    report('acknowledged_and_lost', call_id, 'reported as held, and there is no request')
  if (status === 'executed' && receipts.length === 0)
    report('outcome_without_effect', call_id, 'reported as executed, and the tool never received it')
  if (not_sent === true && receipts.length > 0)
    report('executed_although_denied_effect', call_id, 'reported as not sent, and the tool received it')
}

function checkDecision({ approval_id, says }: SentDecision, types: readonly string[], report: ReportViolation): void {
  const type = says === 'approve' ? 'approval.approved' : 'approval.denied'
  if (!types.includes(type))
    report('acknowledged_and_lost', approval_id, `\`${says}\` was acknowledged, and the audit has no \`${type}\``)
  if (says === 'deny' && types.includes('call.started'))
    report('decision_not_made', approval_id, 'its denial was acknowledged, and it started')
}

/** One idempotency key of a client is one call, on all nodes. */
function checkKeys(records: History['records'], report: ReportViolation): void {
  const keyed = records.flatMap((one) =>
    one.is === 'call' && one.key !== undefined ? [{ key: one.key, id: one.call_id }] : [],
  )
  for (const [key, same] of Map.groupBy(keyed, (one) => one.key)) {
    const ids = new Set(same.map(({ id }) => id))
    if (ids.size > 1)
      report('executed_twice', key, `one key of a client names ${ids.size} calls: ${[...ids].join(' ')}`)
  }
}
