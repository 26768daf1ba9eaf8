import type { CallStory, History, Tell, ToldCall, ToldDecision } from './history.ts'

/** The states that a call may have after this state was reported to a client. */
const MAY_BECOME: Readonly<Record<string, readonly string[]>> = {
  executed: ['executed'],
  failed: ['failed'],
  refused: ['refused', 'failed'],
  unknown: ['unknown', 'executed', 'failed', 'executing'],
}

/** No state that was reported to a client is lost. */
export function checkTold({ told, runs, audit }: History, stories: ReadonlyMap<string, CallStory>, tell: Tell): void {
  const known = new Set<string>(runs.map(({ run_id }) => run_id))
  const decided = Map.groupBy(audit, ({ subject }) => subject['approval'] ?? '')
  for (const one of told) {
    if (one.is === 'call') checkCall(one, stories.get(one.call_id), tell)
    else if (one.is === 'decision' && one.acknowledged) checkDecision(one, typesOf(decided.get(one.approval_id)), tell)
    else if (one.is === 'settlement' && one.acknowledged) {
      const entries = stories.get(one.call_id)?.entries ?? []
      if (!entries.some(({ type, about }) => type === 'call.settled' && about?.['as'] === one.as))
        tell('acknowledged_and_lost', one.call_id, `it was settled as \`${one.as}\`, and the audit has nothing of it`)
    } else if (one.is === 'run' && !known.has(one.run_id))
      tell('acknowledged_and_lost', one.run_id, 'the client was given a run that the ledger does not have')
  }
  checkKeys(told, tell)
}

const typesOf = (entries: readonly { readonly type: string }[] = []): readonly string[] =>
  entries.map(({ type }) => type)

function checkCall({ call_id, status, not_sent }: ToldCall, story: CallStory | undefined, tell: Tell): void {
  if (story === undefined)
    // A commit in doubt may turn out not to be stored: then the client got the answer that nothing was sent.
    return not_sent === true
      ? undefined
      : tell('acknowledged_and_lost', call_id, `told as \`${status}\`, and not in the ledger`)
  const { row, receipts, entries } = story
  const ways = MAY_BECOME[status]
  if (ways !== undefined && !ways.includes(row.state))
    tell('acknowledged_and_lost', call_id, `told as \`${status}\`, and \`${row.state}\` in the ledger`)
  if (entries.length === 0) tell('acknowledged_and_lost', call_id, `told as \`${status}\`, and not in the audit`)
  if (status === 'pending' && story.approval === undefined)
    tell('acknowledged_and_lost', call_id, 'told as held, and there is no request')
  if (status === 'executed' && receipts.length === 0)
    tell('outcome_without_effect', call_id, 'told as executed, and the tool never received it')
  if (not_sent === true && receipts.length > 0)
    tell('executed_although_denied_effect', call_id, 'told as not sent, and the tool received it')
}

function checkDecision({ approval_id, says }: ToldDecision, types: readonly string[], tell: Tell): void {
  const type = says === 'approve' ? 'approval.approved' : 'approval.denied'
  if (!types.includes(type))
    tell('acknowledged_and_lost', approval_id, `\`${says}\` was acknowledged, and the audit has no \`${type}\``)
  if (says === 'deny' && types.includes('call.started'))
    tell('decision_not_made', approval_id, 'its denial was acknowledged, and it started')
}

/** One idempotency key of a client is one call, on all nodes. */
function checkKeys(told: History['told'], tell: Tell): void {
  const keyed = told.flatMap((one) =>
    one.is === 'call' && one.key !== undefined ? [{ key: one.key, id: one.call_id }] : [],
  )
  for (const [key, same] of Map.groupBy(keyed, (one) => one.key)) {
    const ids = new Set(same.map(({ id }) => id))
    if (ids.size > 1) tell('executed_twice', key, `one key of a client names ${ids.size} calls: ${[...ids].join(' ')}`)
  }
}
