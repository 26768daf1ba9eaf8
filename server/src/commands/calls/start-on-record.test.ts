import { expect, test } from 'vitest'
import type { AuditEntry } from '../../contract/audit.ts'
import type { CallRow } from '../../contract/call.ts'
import type { AuditReads } from '../ports/reads.ts'
import { isStartOnRecord } from './start-on-record.ts'

type Word = readonly [stream: string, type: string, attempt?: number]
const NOW = 1_000_000

/** An audit of several nodes, each with its own stream. */
function auditOf(words: readonly Word[]): Pick<AuditReads, 'namingNewest' | 'naming'> {
  const streams = Map.groupBy(words, ([stream]) => stream)
  const entriesOf = (stream: string) =>
    (streams.get(stream) ?? []).map(([, type, attempt], index): AuditEntry => ({
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
      ...(attempt === undefined ? {} : { about: { attempt } }),
    }))
  return {
    naming: async (_, stream, from, count) => entriesOf(stream).slice(from - 1, from - 1 + count),
    namingNewest: async (_, count) =>
      [...streams].map(([stream, { length }]) => ({ stream, seq: length, entries: entriesOf(stream).slice(-count) })),
  }
}

const rowOf = (attempt: number) => ({ call_id: 'call_1', received_at: NOW, attempt }) as unknown as CallRow

/** The entries of the streams, the number of starts in the row, and whether it may start. */
const CASES: readonly (readonly [says: string, words: readonly Word[], attempt: number, may: boolean])[] = [
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
      ['a', 'call.started', 1],
    ],
    0,
    false,
  ],
  [
    'approved here and started elsewhere, the row set back',
    [
      ['a', 'approval.approved'],
      ['b', 'call.started', 1],
    ],
    0,
    false,
  ],
  [
    'interrupted and to be retried',
    [
      ['a', 'call.started', 1],
      ['a', 'call.interrupted'],
    ],
    1,
    true,
  ],
  [
    'started by a node that died, taken over by another',
    [
      ['a', 'call.started', 1],
      ['b', 'call.interrupted'],
    ],
    1,
    true,
  ],
  [
    'a direct call of a node that died',
    [
      ['a', 'call.started'],
      ['b', 'call.interrupted'],
      ['b', 'call.settled'],
    ],
    1,
    true,
  ],
  [
    'already retried, the row set back',
    [
      ['a', 'call.started'],
      ['b', 'call.settled'],
      ['c', 'call.started', 2],
    ],
    1,
    false,
  ],
]

test.each(CASES)('%s', async (_says, words, attempt, may) => {
  expect(await isStartOnRecord(auditOf(words), rowOf(attempt), undefined)).toBe(may)
})
