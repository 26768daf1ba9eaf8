import type { ApprovalRow } from '../../src/kernel/contract/approval.ts'
import type { AuditEntry } from '../../src/kernel/contract/audit.ts'
import { onlyReads } from '../../src/kernel/contract/tool.ts'
import { checkBounds } from './check-bounds.ts'
import { checkAnswers } from './check-answers.ts'
import type { CallRow } from '../../src/kernel/contract/call.ts'
import type { CallStory, History, ReportViolation, ClientRecord, Violation, ViolationKind } from './history.ts'

export type CheckOptions = {
  /** The canonical hash of arguments. */
  readonly hashOf: (args: unknown) => string
  /** Nothing is in progress, so nothing may be left open. */
  readonly isQuiet: boolean
  /** Clocks did not jump, so that times of the tool server and of the audit can be compared. */
  readonly isOneClock?: boolean
  /** The servers that keep a log; by default all of them. */
  readonly isLogged?: (row: CallRow) => boolean
  /** Undisturbed calls: each is executed unless somebody refused it. */
  readonly mustSucceed?: (row: CallRow) => boolean
}

/**
 * Whether a history keeps the guarantees: nothing is executed twice, nothing acknowledged is lost, and no decision is invented. It
 * trusts no single source: the ledger, the audit, the tool servers' logs and the clients' answers must agree.
 */
export function checkHistory(history: History, options: CheckOptions): readonly Violation[] {
  const found: Violation[] = []
  const report = (kind: ViolationKind, about: string, says: string) => void found.push({ kind, about, says })
  const stories = storiesOf(history)
  const known = new Set<string>(history.calls.map(({ call_id }) => call_id))

  if (!history.report.ok) report('audit_broken', 'audit', JSON.stringify(history.report.first))
  for (const receipt of history.receipts)
    if (!known.has(receipt.call))
      report('executed_unrecorded', receipt.call, 'the tool ran it and the ledger has no such call')
  for (const entry of history.audit) {
    const call = entry.subject['call']
    if (entry.type === 'call.started' && call !== undefined && !known.has(call))
      report('ledger_differs_from_audit', call, 'the audit says that it started and the ledger has no such call')
  }
  for (const story of stories.values()) {
    checkExecutions(story, options, report)
    checkDecisions(story, history.records, report)
    checkState(story, options, report)
  }
  checkBounds(history, stories, report)
  checkRepeats(stories, options, report)
  checkDecisionsMade(history, report)
  if (options.isQuiet) checkRuns(history, report)
  checkAnswers(history, stories, report)
  return found
}

export const typed = ({ entries }: CallStory, type: string): readonly AuditEntry[] =>
  entries.filter((entry) => entry.type === type)

function storiesOf(history: History): ReadonlyMap<string, CallStory> {
  const entries = Map.groupBy(history.audit, ({ subject }) => subject['call'] ?? '')
  const receipts = Map.groupBy(history.receipts, ({ call }) => call)
  const requests = Map.groupBy(history.approvals, ({ call_id }) => call_id)
  const approvals = new Map(history.approvals.map((row) => [row.approval_id, row]))
  return new Map(
    history.calls.map((row) => [
      row.call_id,
      {
        row,
        approval: row.approval_id === undefined ? undefined : approvals.get(row.approval_id),
        requests: (requests.get(row.call_id) ?? []).filter(({ state }) => state !== 'edited'),
        entries: entries.get(row.call_id) ?? [],
        receipts: receipts.get(row.call_id) ?? [],
      },
    ]),
  )
}

/** How often it may have started: once, once more for each approved retry, and if it is idempotent for each one that was ordered. */
function startsAllowed(story: CallStory): number {
  const approved = new Set(typed(story, 'approval.approved').map(({ subject }) => subject['approval']))
  const retries = story.requests.filter(
    ({ retries: again, approval_id }) => again !== undefined && approved.has(approval_id),
  )
  if (!story.row.idempotent) return 1 + retries.length
  const ordered = typed(story, 'call.settled').filter(({ about }) => about?.['as'] === 'retry')
  return 1 + retries.length + ordered.length + typed(story, 'call.interrupted').length
}

/** The start that a request was for: the first one, or the one after the attempt that it retries. */
const startFor = (story: CallStory, { retries }: ApprovalRow): AuditEntry | undefined =>
  typed(story, 'call.started').find(({ about }) => (about?.['attempt'] ?? 1) === (retries?.attempt ?? 0) + 1)

function checkExecutions(story: CallStory, { hashOf, isOneClock }: CheckOptions, report: ReportViolation): void {
  const { row, receipts } = story
  const starts = typed(story, 'call.started')
  if (receipts.length > 0 && starts.length === 0)
    report('executed_unrecorded', row.call_id, 'the tool ran it and the audit has no start of it')
  if (receipts.length > starts.length && starts.length > 0)
    report('executed_twice', row.call_id, `the tool received it ${receipts.length} times for ${starts.length} starts`)
  if (starts.length > startsAllowed(story))
    report('executed_twice', row.call_id, `it started ${starts.length} times and ${startsAllowed(story)} were allowed`)
  for (const { args } of receipts)
    if (hashOf(args) !== row.args_hash)
      report('executed_other_arguments', row.call_id, 'the tool received other arguments than those that were judged')
  if (isOneClock !== true || row.idempotent) return
  const interrupted = typed(story, 'call.interrupted')[0]
  const late = receipts.find(
    ({ at }) => interrupted !== undefined && at > interrupted.at && !startedSince(starts, interrupted),
  )
  if (late !== undefined && interrupted !== undefined)
    report(
      'sent_after_takeover',
      row.call_id,
      `received ${late.at - interrupted.at} ms after another node took it over`,
    )
}

const startedSince = (starts: readonly AuditEntry[], { at }: AuditEntry): boolean => starts.some((one) => one.at > at)

/** A held call starts only after exactly one approval of exactly what was shown, and so does a retry. */
function checkDecisions(story: CallStory, records: readonly ClientRecord[], report: ReportViolation): void {
  for (const request of story.requests) checkRequest(story, request, records, report)
}

function checkRequest(
  story: CallStory,
  approval: ApprovalRow,
  records: readonly ClientRecord[],
  report: ReportViolation,
): void {
  const { row } = story
  const { approval_id } = approval
  const isAbout = ({ subject }: AuditEntry) => subject['approval'] === approval_id
  const yes = typed(story, 'approval.approved').filter(isAbout)
  const no = typed(story, 'approval.denied').filter(isAbout)
  const started = startFor(story, approval)
  if (yes.length > 1 || (yes.length > 0 && no.length > 0))
    report('decided_twice', approval_id, `${yes.length} approvals and ${no.length} denials`)
  if (started === undefined && (story.receipts.length === 0 || approval.retries !== undefined)) return
  const [decided] = yes
  if (decided === undefined) return report('decision_not_made', row.call_id, 'it started and nobody approved it')
  if (started !== undefined && started.stream === decided.stream && started.seq < decided.seq)
    report('decision_not_made', row.call_id, 'it started before it was approved')
  if (decided.args_hash !== row.args_hash || approval.args_hash !== row.args_hash)
    report('decision_not_made', row.call_id, 'other arguments were approved')
  const says = approval.decisions.filter((one) => one.says === 'approve')
  if (says.length !== 1 || says[0]?.by !== decided.actor)
    report(
      'decision_not_made',
      row.call_id,
      `the request has ${says.length} approvals, the audit one by ${decided.actor}`,
    )
  const sent = records.some(
    (one) =>
      one.is === 'decision' &&
      one.approval_id === approval_id &&
      one.says === 'approve' &&
      one.digest === decided.about?.['digest'],
  )
  if (!sent) report('decision_not_made', row.call_id, 'no approver sent an approval of this digest')
}

/** Every recorded decision was sent by an approver. */
function checkDecisionsMade({ audit, records }: History, report: ReportViolation): void {
  for (const { type, subject } of audit) {
    const approval = subject['approval']
    if ((type !== 'approval.approved' && type !== 'approval.denied') || approval === undefined) continue
    const says = type === 'approval.approved' ? 'approve' : 'deny'
    const isSent = records.some((one) => one.is === 'decision' && one.approval_id === approval && one.says === says)
    if (!isSent) report('decision_not_made', approval, `the audit has \`${type}\`, which no approver sent`)
  }
}

const ENDED_BY: Readonly<Record<string, readonly string[]>> = {
  executed: ['call.executed', 'call.settled'],
  failed: ['call.failed', 'call.settled', 'call.stopped', 'call.interrupted'],
  unknown: ['call.unknown', 'call.interrupted', 'call.stopped', 'call.settled'],
  refused: [
    'call.blocked',
    'call.refused',
    'call.stopped',
    'approval.denied',
    'approval.expired',
    'approval.withdrawn',
  ],
  executing: ['call.started'],
  pending: ['call.held'],
}

function checkState(story: CallStory, options: CheckOptions, report: ReportViolation): void {
  const { isQuiet, isLogged = () => true, mustSucceed = () => false } = options
  const { row, approval, receipts, entries } = story
  if (mustSucceed(row) && (row.state === 'failed' || row.state === 'unknown' || row.settled !== undefined))
    report('disturbed_by_others', row.call_id, `nothing was done to it, and it is \`${row.state}\``)
  const ways = ENDED_BY[row.state] ?? []
  if (!entries.some(({ type }) => ways.includes(type)))
    report(
      'ledger_differs_from_audit',
      row.call_id,
      `it is \`${row.state}\`, and the audit has none of ${ways.join(', ')}`,
    )
  const isSettled = row.settled !== undefined || typed(story, 'call.settled').length > 0
  if (row.state === 'executed' && receipts.length === 0 && !isSettled && isLogged(row))
    report('outcome_without_effect', row.call_id, 'it is `executed`, and the tool never received it')
  const isUnsent = row.state === 'refused' || (row.state === 'failed' && row.problem?.code === 'tool.unavailable')
  if (isUnsent && receipts.length > 0)
    report(
      'executed_although_denied_effect',
      row.call_id,
      `it is \`${row.state}\` as not sent, and the tool received it`,
    )
  if (!isQuiet) return
  if (row.state === 'executing') report('left_open', row.call_id, `it is still \`executing\`, by boot ${row.boot}`)
  if (row.state === 'pending' && approval?.state !== 'pending')
    report('left_open', row.call_id, `it is still pending, and its request is \`${approval?.state}\``)
  if (row.state === 'unknown' && row.settled?.as === 'retry')
    report('left_open', row.call_id, 'its retry was never made')
  if (row.retry !== undefined && approval?.state !== 'pending')
    report('left_open', row.call_id, `its retry waits, and the request is \`${approval?.state}\``)
}

/** The load never makes two calls with the same arguments, so two equal calls are one call that was made twice. */
function checkRepeats(
  stories: ReadonlyMap<string, CallStory>,
  { hashOf }: CheckOptions,
  report: ReportViolation,
): void {
  const ran = [...stories.values()].filter(({ receipts, row }) => receipts.length > 0 && !onlyReads(row.judged))
  for (const [what, same] of Map.groupBy(ran, ({ receipts }) => `${receipts[0]?.tool} ${hashOf(receipts[0]?.args)}`)) {
    const ids = same.map(({ row }) => row.call_id)
    if (ids.length > 1) report('executed_twice', ids.join(' '), `one effect by several calls: ${what}`)
  }
}

function checkRuns({ runs, approvals, records }: History, report: ReportViolation): void {
  const given = new Set(records.flatMap((one) => (one.is === 'run' ? [one.run_id] : [])))
  const open = new Set(approvals.filter(({ state }) => state === 'pending').map(({ run_id }) => run_id))
  for (const { run_id, status, executing, kind, waits_for } of runs) {
    if (status === 'faulted') report('left_open', run_id, `a run of kind ${kind} is faulted`)
    if (status === 'active' || executing.length > 0)
      report('left_open', run_id, `a run of kind ${kind} is still active`)
    if (status === 'waiting' && given.has(run_id)) report('left_open', run_id, `it still waits for \`${waits_for}\``)
    if (status === 'waiting' && waits_for?.startsWith('approval') === true && kind === 'held-call' && !open.has(run_id))
      report('left_open', run_id, `it waits for \`${waits_for}\`, which is not pending`)
  }
}
