import {
  AuditEntryAnswer,
  AuditKeysAnswer,
  AuditPageAnswer,
  CheckpointAnswer,
  listOf,
  ProofAnswer,
  VerifiedAnswer,
} from '../../../kernel/contract/answers.ts'
import { BreakBody, VerifyBody } from '../../../kernel/contract/api.ts'
import { ok, refuse } from '../../../kernel/contract/problems.ts'
import { acceptBreak, type AcceptBreakPorts } from '../../../kernel/audit/accept-break.ts'
import { exportAudit, type ExportAuditPorts } from '../../../kernel/audit/export-audit.ts'
import { auditBackwards, newestAudit } from '../../../kernel/audit/newest-audit.ts'
import { proveEntry, type ProveEntryPorts } from '../../../kernel/audit/prove-entry.ts'
import { verifyAndSign, type VerifyAndSignPorts } from '../../../kernel/audit/verify-and-sign.ts'
import { presentCheckpoint, type WriteCheckpointPorts } from '../../../kernel/audit/write-checkpoint.ts'
import type { CheckpointKeys } from '../../../kernel/ports/audit.ts'
import { ADMINS, DECIDERS } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { writtenStream } from '../event-stream.ts'
import { PAGED } from '../parameters.ts'
import { MOST_ITEMS } from '../query.ts'

type AuditUse = AcceptBreakPorts & ExportAuditPorts & ProveEntryPorts & VerifyAndSignPorts & WriteCheckpointPorts
export type AuditPorts = Omit<AuditUse, 'keys'> & {
  /** The default stream. */
  readonly stream: string
  readonly keys: { readonly checkpoints: CheckpointKeys }
}

export function auditEndpoints(ports: AuditPorts): readonly Endpoint[] {
  const k = { ...ports, keys: ports.keys.checkpoints }
  const { audit } = k
  return [
    endpoint({
      at: 'GET /v1/audit',
      access: DECIDERS,
      says: 'Entries of a stream from `from` on, or after `after`, or the `last` ones',
      query: ['stream', 'from', 'last', ...PAGED],
      answers: listOf(AuditEntryAnswer),
      async run(_, { query: { stream = k.stream, last: newest }, page: { limit }, number }) {
        if (newest !== undefined)
          return ok({ items: await newestAudit(audit, stream, Math.min(number('last', 1), MOST_ITEMS)) })
        const from = Math.max(1, number('after', number('from', 1) - 1) + 1)
        const items = await audit.entries(stream, from, limit)
        const last = items.length === limit ? items.at(-1) : undefined
        return ok({ items, ...(last === undefined ? {} : { next: last.seq }) })
      },
    }),
    endpoint({
      at: 'GET /v1/audit/newest',
      access: DECIDERS,
      says: 'Entries of all streams, newest first; with `from`, those of one stream from this entry backwards',
      query: ['stream', 'from', 'limit', 'cursor'],
      answers: AuditPageAnswer,
      run(_, { query: { stream = k.stream, cursor }, page: { limit }, number }) {
        const seq = number('from', 0)
        return auditBackwards(audit, {
          limit,
          ...(cursor === undefined ? {} : { cursor }),
          ...(seq < 1 ? {} : { at: { stream, seq } }),
        })
      },
    }),
    endpoint({
      at: 'GET /v1/audit/verify',
      access: DECIDERS,
      says: 'Verify the whole hash chain',
      answers: VerifiedAnswer,
      run: async () => ok(await verifyAndSign(k, [])),
    }),
    endpoint({
      at: 'GET /v1/audit/verify/progress',
      access: DECIDERS,
      says: 'The same as server-sent events: `progress` with how many of how many entries, then `report`',
      media: 'text/event-stream',
      run: () =>
        writtenStream({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' }, async (write) => {
          const send = (event: string, data: object) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
          let written: Promise<unknown> = Promise.resolve()
          const report = await verifyAndSign(k, [], (done) => {
            written = written.then(() => send('progress', done)).catch(() => {})
          })
          await written
          await send('report', report)
        }),
    }),
    endpoint({
      at: 'POST /v1/audit/verify',
      access: DECIDERS,
      says: 'Verify the whole hash chain, and compare it with checkpoints that were saved elsewhere',
      body: VerifyBody,
      answers: VerifiedAnswer,
      run: async (_, { body }) => ok(await verifyAndSign(k, body.against)),
    }),
    endpoint({
      at: 'GET /v1/audit/export',
      access: DECIDERS,
      says: 'Entries and checkpoints since `since` (ms), as jsonl or csv',
      query: ['format', 'since'],
      media: 'application/jsonl',
      run(_, { query: { format = 'jsonl' }, number }) {
        if (format !== 'jsonl' && format !== 'csv') return refuse('request.invalid', { paths: 'format: jsonl or csv' })
        const since = number('since', 0)
        const type = format === 'csv' ? 'text/csv; charset=utf-8' : 'application/jsonl; charset=utf-8'
        return writtenStream({ 'content-type': type }, async (write) => {
          for await (const line of exportAudit(k, { format, ...(since > 0 ? { since } : {}) })) await write(`${line}\n`)
        })
      },
    }),
    endpoint({
      at: 'GET /v1/audit/prove/{seq}',
      access: DECIDERS,
      says: 'A portable proof of one entry',
      query: ['stream'],
      answers: ProofAnswer,
      run(_, { params, query: { stream = k.stream } }) {
        const seq = Number(params.seq)
        if (!Number.isSafeInteger(seq) || seq < 1)
          return refuse('request.invalid', { paths: 'seq: a whole number from 1' })
        return proveEntry(k, stream, seq)
      },
    }),
    endpoint({
      at: 'POST /v1/audit/checkpoint',
      access: ADMINS,
      says: 'Sign a checkpoint now',
      answers: CheckpointAnswer,
      run: () => presentCheckpoint(k),
      shows: (written) => ({ checkpoint: written ?? null }),
    }),
    endpoint({
      at: 'POST /v1/audit/breaks',
      access: ADMINS,
      says: 'Continue after a broken audit: sign the stored entries as they are, with the reason',
      body: BreakBody,
      answers: CheckpointAnswer,
      run: (caller, { body }) => acceptBreak(k, caller, body.reason),
      shows: (checkpoint) => ({ checkpoint }),
    }),
    endpoint({
      at: 'GET /v1/audit/keys',
      access: DECIDERS,
      says: 'The public keys that checkpoints are verified with, the active one first',
      answers: AuditKeysAnswer,
      run: () => ok({ items: k.keys.publicKeys() }),
    }),
  ]
}
