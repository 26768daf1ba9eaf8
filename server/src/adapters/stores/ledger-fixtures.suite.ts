import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { ApprovalRow, ApprovalState } from '../../kernel/contract/approval.ts'
import type { AuditDraft, AuditEntry } from '../../kernel/contract/audit.ts'
import { GENESIS } from '../../kernel/contract/genesis.ts'
import type { CallRow } from '../../kernel/contract/call.ts'
import type { ApprovalId, CallId, RunId } from '../../kernel/contract/ids.ts'
import type { Change, Ledger, CommitResults } from '../../kernel/ports/ledger.ts'
import type { Accounts, AuditReads, Journal, Tables } from '../../kernel/ports/reads.ts'
import { entryText } from '../../kernel/audit/chain.ts'

export type OpenLedger = Ledger & CommitResults & Tables & Accounts & AuditReads & Journal & { close(): Promise<void> }

const DIGEST = 'd'.repeat(64)
const CALLER = { kind: 'agent', id: 'agent:a', user: 'ada' } as const
const VERDICT = { effect: 'allow', evidence: [] } as const

export const callId = (number: number): CallId => `call_${number.toString(16).padStart(24, '0')}`
export const approvalId = (number: number): ApprovalId => `auth_${number.toString(16).padStart(16, '0')}`
export const runId = (number: number): RunId => `run_${number.toString(16).padStart(16, '0')}`

export function call(id: string, fields: Partial<CallRow> = {}): CallRow {
  return {
    v: 1,
    call_id: id as CallId,
    caller: CALLER,
    tool_id: 'files__read',
    server: 'files',
    definition_hash: DIGEST,
    canonical_args: '{"path":"a"}',
    args_hash: DIGEST,
    thread: 't1',
    trace: 'trace',
    received_at: 1,
    state: 'pending',
    verdict: VERDICT,
    policy_version: DIGEST,
    idempotent: false,
    attempt: 1,
    ...fields,
  }
}

export function approval(id: ApprovalId, state: ApprovalState): ApprovalRow {
  return {
    v: 1,
    approval_id: id,
    call_id: callId(1),
    run_id: runId(1),
    tool_id: 'files__read',
    definition_hash: DIGEST,
    canonical_args: '{"path":"a"}',
    args_hash: DIGEST,
    caller: CALLER,
    thread: 't1',
    policy_version: DIGEST,
    strength: 'simple',
    evidence: [],
    created_at: 1,
    expires_at: 2,
    state,
    decisions: [],
  }
}

export const newCall = (id: string, fields: Partial<CallRow> = {}): Change => ({
  kind: 'swap',
  table: 'calls',
  id,
  from: 'absent',
  to: call(id, fields),
})

export function draft(call_id: string, fields: Partial<AuditDraft> = {}): AuditDraft {
  return { at: 1, type: 'call.held', actor: 'agent:a', trace: 'trace', subject: { call: call_id }, ...fields }
}
export const note = (call_id: string): Change => ({ kind: 'audit', entry: draft(call_id) })

/** The whole stream, after every link and the stored head were checked independently. */
export async function wholeChain(reads: AuditReads, stream: string): Promise<readonly AuditEntry[]> {
  const entries = await reads.entries(stream, 1, 100_000)
  let previous = GENESIS
  for (const [index, { hash: own, ...rest }] of entries.entries()) {
    assert.deepEqual([rest.stream, rest.seq, rest.prev_hash], [stream, index + 1, previous])
    assert.equal(own, hash('sha256', entryText(rest)))
    previous = own
  }
  const head = (await reads.heads()).find((candidate) => candidate.stream === stream)
  assert.deepEqual({ seq: 0, hash: GENESIS, ...head, stream }, { seq: entries.length, hash: previous, stream })
  return entries
}
