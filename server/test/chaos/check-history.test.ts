import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AuditEntry } from '../../src/kernel/contract/audit.ts'
import type { CallRow } from '../../src/kernel/contract/call.ts'
import type { ConsentRow } from '../../src/kernel/contract/consent.ts'
import { ADMIN, APPROVER, openTestGate, pendingOf } from '../helpers/with-gate.ts'
import { checkHistory } from './check-history.ts'
import { VIOLATIONS, type History, type Receipt, type ClientRecord, type ViolationKind } from './history.ts'
import { LOGGED_POLICY, loggedServer, logIn } from './logged-tools.ts'
import { hashOf, readLedger, readReceipts } from './read-history.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-history-'))
let good: History
let [direct, held, denied] = ['', '', '']

/** A history of a real gate: a direct call, a held one that was approved, and one that was denied. */
beforeAll(async () => {
  const servers = { log: loggedServer(logIn(folder)) }
  const rig = await openTestGate(folder, { policy: JSON.stringify(LOGGED_POLICY), config: { servers } })
  const records: ClientRecord[] = []
  const ran = await rig.call('log__add', { text: 'one' }, { idempotency_key: 'k1' })
  if (ran.status !== 'executed') throw new Error(JSON.stringify(ran))
  direct = ran.call_id
  records.push({ is: 'call', call_id: direct, status: 'executed', key: 'k1' })
  for (const says of ['approve', 'deny'] as const) {
    const { call_id, approval_id } = pendingOf(await rig.call('log__ask_add', { text: says }))
    const packet = await rig.gate.approvals.read(APPROVER, approval_id)
    const digest = packet.ok ? packet.value.digest : ''
    const decided = await rig.gate.approvals.decide(APPROVER, approval_id, { says, digest })
    records.push({ is: 'call', call_id, status: 'pending' })
    records.push({ is: 'decision', approval_id, says, digest, acknowledged: decided.ok })
    await rig.gate.calls.read(ADMIN, call_id, 10_000)
    if (says === 'approve') held = call_id
    else denied = call_id
  }
  await rig.opened.close()
  good = { ...(await readLedger({ folder: join(folder, 'data') })), receipts: readReceipts(logIn(folder)), records }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const kindsIn = (history: History): readonly string[] => [
  ...new Set(
    checkHistory(history, {
      hashOf,
      isQuiet: true,
      isOneClock: true,
      mustSucceed: ({ call_id }) => call_id === direct,
    }).map(({ kind }) => kind),
  ),
]

const entryOf = (type: string, call: string): AuditEntry => {
  const found = good.audit.find((entry) => entry.type === type && entry.subject['call'] === call)
  if (found === undefined) throw new Error(`no ${type}`)
  return found
}
const receiptOf = (call: string): Receipt => {
  const found = good.receipts.find((one) => one.call === call)
  if (found === undefined) throw new Error(`no receipt of ${call}`)
  return found
}
const withCall = (call: string, change: Partial<CallRow>): History => ({
  ...good,
  calls: good.calls.map((row) => (row.call_id === call ? { ...row, ...change } : row)),
})
const without = (type: string, call: string): History => {
  const gone = entryOf(type, call)
  return { ...good, audit: good.audit.filter((entry) => entry !== gone) }
}
const later = (entry: AuditEntry, change: Partial<AuditEntry> = {}): AuditEntry => ({
  ...entry,
  seq: entry.seq + 1000,
  ...change,
})
const decisions = (change: (records: Extract<ClientRecord, { is: 'decision' }>) => ClientRecord[]): History => ({
  ...good,
  records: good.records.flatMap((one) => (one.is === 'decision' ? change(one) : [one])),
})

/** The direct call, as if it had run under a consent. */
const underConsent = (bounds: Pick<ConsentRow, 'calls' | 'expires_at'>): History => {
  const consent_id = 'cons_0000000000000000' as ConsentRow['consent_id']
  const started = entryOf('call.started', direct)
  const consent: ConsentRow = {
    v: 1,
    consent_id,
    actor: 'caller:agent:a',
    what: { tool: 'log__add', args: [] },
    minted_by: 'user:bob',
    minted_at: 0,
    shelf: 'closed',
    ...bounds,
  }
  const audit = good.audit.map((entry) =>
    entry === started ? { ...entry, subject: { ...entry.subject, consent: consent_id } } : entry,
  )
  return { ...good, consents: [consent], audit }
}

test('the history of an undisturbed gate has no violations', () => {
  expect(good.receipts).toHaveLength(2)
  expect(checkHistory(good, { hashOf, isQuiet: true, isOneClock: true })).toEqual([])
})

/** A planted violation, and the kind under which it must be found. */
const PLANTED: readonly (readonly [says: string, finds: ViolationKind, history: () => History])[] = [
  [
    'the tool received a call twice',
    'executed_twice',
    () => ({ ...good, receipts: [...good.receipts, receiptOf(direct)] }),
  ],
  [
    'a call started twice and nobody ordered a retry',
    'executed_twice',
    () => ({ ...good, audit: [...good.audit, later(entryOf('call.started', direct))] }),
  ],
  [
    'one effect by two calls',
    'executed_twice',
    () => ({ ...good, receipts: [...good.receipts, { ...receiptOf(direct), call: held }] }),
  ],
  [
    'one key of a client names two calls',
    'executed_twice',
    () => ({ ...good, records: [...good.records, { is: 'call', call_id: held, status: 'executed', key: 'k1' }] }),
  ],
  [
    'the tool received a call that is not in the ledger',
    'executed_unrecorded',
    () => ({ ...good, receipts: [...good.receipts, { ...receiptOf(direct), call: 'call_0000' }] }),
  ],
  [
    'the tool received a call whose start is not in the audit',
    'executed_unrecorded',
    () => without('call.started', direct),
  ],
  [
    'the tool received other arguments',
    'executed_other_arguments',
    () => ({
      ...good,
      receipts: good.receipts.map((one) => (one.call === held ? { ...one, args: { text: 'other' } } : one)),
    }),
  ],
  [
    'a call is failed as not sent, and the tool received it',
    'executed_although_denied_effect',
    () => withCall(direct, { state: 'failed', problem: { code: 'tool.unavailable', about: {} } }),
  ],
  [
    'an interrupted call is failed as not sent, because its retry was not sent',
    'executed_although_denied_effect',
    () => {
      const start = entryOf('call.started', direct)
      const failed = withCall(direct, { state: 'failed', problem: { code: 'tool.unavailable', about: {} } })
      return { ...failed, audit: [...failed.audit, later(start, { type: 'call.interrupted', at: start.at + 5 })] }
    },
  ],
  [
    'a denied call reached the tool',
    'executed_although_denied_effect',
    () => ({ ...good, receipts: [...good.receipts, { ...receiptOf(held), call: denied }] }),
  ],
  [
    'the tool received a call after another node took it over',
    'sent_after_takeover',
    () => {
      const start = entryOf('call.started', direct)
      const late = receiptOf(direct)
      return {
        ...good,
        audit: [...good.audit, later(start, { type: 'call.interrupted', at: start.at + 5 })],
        receipts: good.receipts.map((one) => (one === late ? { ...one, at: start.at + 10 } : one)),
      }
    },
  ],
  [
    'an acknowledged call is not in the ledger',
    'acknowledged_and_lost',
    () => ({ ...good, calls: good.calls.slice(1) }),
  ],
  [
    'a call that was reported as executed is unknown',
    'acknowledged_and_lost',
    () => withCall(direct, { state: 'unknown' }),
  ],
  [
    'a run that a client was given is not in the ledger',
    'acknowledged_and_lost',
    () => ({ ...good, records: [...good.records, { is: 'run', run_id: 'run_0000' }] }),
  ],
  ['an acknowledged approval is not in the audit', 'acknowledged_and_lost', () => without('approval.approved', held)],
  ['an acknowledged denial is not in the audit', 'acknowledged_and_lost', () => without('approval.denied', denied)],
  [
    'an acknowledged settlement is not in the audit',
    'acknowledged_and_lost',
    () => ({
      ...good,
      records: [...good.records, { is: 'settlement', call_id: direct, as: 'done', acknowledged: true }],
    }),
  ],
  ['a held call started and nobody approved it', 'decision_not_made', () => without('approval.approved', held)],
  ['an approval that no approver sent', 'decision_not_made', () => decisions(() => [])],
  [
    'an approval of another digest',
    'decision_not_made',
    () => decisions((one) => [{ ...one, digest: '0'.repeat(64) }]),
  ],
  [
    'the request contains other arguments than the call',
    'decision_not_made',
    () => ({ ...good, approvals: good.approvals.map((row) => ({ ...row, args_hash: '0'.repeat(64) })) }),
  ],
  [
    'the request contains no decision',
    'decision_not_made',
    () => ({ ...good, approvals: good.approvals.map((row) => ({ ...row, decisions: [] })) }),
  ],
  [
    'a request was approved twice',
    'decided_twice',
    () => ({ ...good, audit: [...good.audit, later(entryOf('approval.approved', held))] }),
  ],
  [
    'an executed call never reached its tool',
    'outcome_without_effect',
    () => ({ ...good, receipts: good.receipts.filter(({ call }) => call !== direct) }),
  ],
  ['a state that the audit does not have', 'ledger_differs_from_audit', () => withCall(direct, { state: 'refused' })],
  [
    'a start of a call that the ledger lost',
    'ledger_differs_from_audit',
    () => ({ ...good, calls: good.calls.slice(1) }),
  ],
  ['a call is still executing', 'left_open', () => withCall(direct, { state: 'executing' })],
  ['an approved call is still pending', 'left_open', () => withCall(held, { state: 'pending' })],
  [
    'a run is still active',
    'left_open',
    () => ({ ...good, runs: good.runs.map((row) => ({ ...row, status: 'active' as const })) }),
  ],
  [
    'a run that a client was given still waits',
    'left_open',
    () => ({
      ...good,
      runs: good.runs.map((row) => ({ ...row, status: 'waiting' as const })),
      records: [...good.records, ...good.runs.map(({ run_id }): ClientRecord => ({ is: 'run', run_id }))],
    }),
  ],
  [
    'an undisturbed call failed',
    'disturbed_by_others',
    () => withCall(direct, { state: 'failed', problem: { code: 'tool.timeout', about: {} } }),
  ],
  [
    'an approval was given after its request had expired',
    'used_out_of_bounds',
    () => ({
      ...good,
      approvals: good.approvals.map((row) => ({ ...row, expires_at: entryOf('approval.approved', held).at - 1 })),
    }),
  ],
  [
    'a call started after its approval had expired',
    'used_out_of_bounds',
    () => ({
      ...good,
      approvals: good.approvals.map((row) => ({ ...row, expires_at: entryOf('call.started', held).at })),
    }),
  ],
  [
    'a request is recorded as approved and as expired',
    'used_out_of_bounds',
    () => ({
      ...good,
      audit: [...good.audit, later(entryOf('approval.approved', held), { type: 'approval.expired' })],
    }),
  ],
  [
    'a call started under a consent that has expired',
    'used_out_of_bounds',
    () => underConsent({ calls: 9, expires_at: 0 }),
  ],
  [
    'more calls started under a consent than it allows',
    'used_out_of_bounds',
    () => underConsent({ calls: 0, expires_at: Number.MAX_SAFE_INTEGER }),
  ],
  ['an audit that does not verify', 'audit_broken', () => ({ ...good, report: { ok: false } })],
]

test.each(PLANTED)('%s: found as %s', (_says, finds, history) => {
  expect(kindsIn(history())).toContain(finds)
})

test('every kind of violation is planted at least once', () => {
  expect(new Set(PLANTED.map(([, finds]) => finds))).toEqual(new Set(VIOLATIONS))
})
