import { expect, test } from 'vitest'
import type { AuditEntry } from '../contract/audit.ts'
import type { CallRow } from '../contract/call.ts'
import type { AuditReads } from '../ports/reads.ts'
import { isStartOnRecord } from './start-on-record.ts'

type Word = readonly [stream: string, type: string, about?: AuditEntry['about']]
const NOW = 1_000_000

/** An audit of several nodes, each with its own stream. */
function auditOf(words: readonly Word[]): Pick<AuditReads, 'namingNewest' | 'naming'> {
  const streams = Map.groupBy(words, ([stream]) => stream)
  const entriesOf = (stream: string) =>
    (streams.get(stream) ?? []).map(([, type, about], index): AuditEntry => ({
      v: 1,
      stream,
      seq: index + 1,
      at: NOW,
      type,
      actor: 'gate',
      trace: '',
      subject: { call: 'call_1' },
      prev_hash: '',
      hash: '',
      ...(about === undefined ? {} : { about }),
    }))
  return {
    naming: async (_, stream, from, count) => entriesOf(stream).slice(from - 1, from - 1 + count),
    namingNewest: async (_, count) =>
      [...streams].map(([stream, { length }]) => ({ stream, seq: length, entries: entriesOf(stream).slice(-count) })),
  }
}

const rowOf = (attempt: number, more: Partial<CallRow>) =>
  ({ call_id: 'call_1', received_at: NOW, attempt, state: 'pending', ...more }) as unknown as CallRow
/** An idempotent call whose retry was ordered, and one whose retry is asked about. */
const settled = { by: 'approver:bob', as: 'retry', at: NOW } as const
const ORDERED: Partial<CallRow> = { state: 'unknown', idempotent: true, settled }
const ASKED: Partial<CallRow> = { state: 'unknown', idempotent: false, retry: { by: 'approver:bob', at: NOW } }
const STARTED: Word = ['a', 'call.started', { attempt: 1 }]

type Case = readonly [says: string, words: readonly Word[], attempt: number, may: boolean, more?: Partial<CallRow>]
/** The entries of the streams, the number of starts in the row, whether it may start, and what else is in the row. */
const CASES: readonly Case[] = [
  ['nobody decided', [['a', 'call.held']], 0, false],
  [
    'approved and not started',
    [
      ['a', 'call.held'],
      ['a', 'approval.approved'],
    ],
    0,
    true,
  ],
  [
    'approved by another node',
    [
      ['a', 'call.held'],
      ['b', 'approval.approved'],
    ],
    0,
    true,
  ],
  [
    'approved and started, the row set back',
    [
      ['a', 'approval.approved'],
      ['a', 'call.started', { attempt: 1 }],
    ],
    0,
    false,
  ],
  [
    'approved here and started elsewhere, the row set back',
    [
      ['a', 'approval.approved'],
      ['b', 'call.started', { attempt: 1 }],
    ],
    0,
    false,
  ],
  [
    'interrupted and to be retried',
    [
      ['a', 'call.started', { attempt: 1 }],
      ['a', 'call.interrupted'],
    ],
    1,
    true,
    ORDERED,
  ],
  [
    'started by a node that died, taken over by another',
    [
      ['a', 'call.started', { attempt: 1 }],
      ['b', 'call.interrupted'],
    ],
    1,
    true,
    ORDERED,
  ],
  [
    'a direct call of a node that died',
    [
      ['a', 'call.started'],
      ['b', 'call.interrupted'],
      ['b', 'call.settled', { as: 'retry' }],
    ],
    1,
    true,
    ORDERED,
  ],
  [
    'already retried, the row set back',
    [
      ['a', 'call.started'],
      ['b', 'call.settled', { as: 'retry' }],
      ['c', 'call.started', { attempt: 2 }],
    ],
    1,
    false,
    ORDERED,
  ],
  ['not idempotent, interrupted, and nobody approved a retry', [STARTED, ['a', 'call.interrupted']], 1, false, ASKED],
  [
    'not idempotent, and its retry was only ordered',
    [STARTED, ['a', 'call.settled', { as: 'retry' }]],
    1,
    false,
    { ...ASKED, settled },
  ],
  ['not idempotent, and its retry was approved', [STARTED, ['a', 'approval.approved']], 1, true, ASKED],
  [
    'its retry was approved and has started, the row set back',
    [STARTED, ['a', 'approval.approved'], ['b', 'call.started', { attempt: 2 }]],
    1,
    false,
    ASKED,
  ],
  [
    'its retry was approved, it was settled in another way, the row set back',
    [STARTED, ['a', 'approval.approved'], ['a', 'call.settled', { as: 'done' }]],
    1,
    false,
    ASKED,
  ],
  [
    'idempotent, settled as done, the row set back',
    [STARTED, ['a', 'call.settled', { as: 'done' }]],
    1,
    false,
    ORDERED,
  ],
]

for (const [says, words, attempt, may, more = {}] of CASES)
  test(says, async () => {
    expect(await isStartOnRecord(auditOf(words), rowOf(attempt, more), undefined)).toBe(may)
  })
