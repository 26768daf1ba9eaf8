import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { always, cutBefore, expectFound, pick, rewriteFrom, signedIn } from './test/histories.suite.ts'
import { checkpointsOf, draft, newKeys, memoryAudit, memoryCheckpointFile } from './test/memory-audit.suite.ts'
import type { Checkpoint, StreamHead } from '../contract/audit.ts'
import { checkpointText } from './checkpoint.ts'
import { verifyAudit } from './verify-audit.ts'
import { writeCheckpoint } from './write-checkpoint.ts'

describe('after one change to the checkpoints the number is named when', () => {
  test('any field of any checkpoint is edited', () =>
    always(async (memory, choice, other) => {
      const all = [...memory.stored.checkpoints.values()]
      fc.pre(all.length > 0)
      const index = choice % all.length
      const row = all[index]
      if (row !== undefined) row.body = editedCheckpoint(row.body as Checkpoint, other)
      expectFound(await verifyAudit(memory), ['checkpoint_forged', 'unreadable'], 'checkpoints', index + 1)
    }))

  test('any checkpoint but the newest is removed, and also the newest if it was shipped', () =>
    always(async (memory, choice) => {
      const against = checkpointsOf(memory)
      fc.pre(against.length > 0)
      const number = (choice % against.length) + 1
      memory.stored.checkpoints.delete(String(number).padStart(12, '0'))
      expectFound(await verifyAudit(memory, { against }), ['checkpoint_missing'], 'checkpoints', number)
      const alone = await verifyAudit(memory)
      if (number < against.length) expectFound(alone, ['checkpoint_missing'], 'checkpoints', number)
      else expect(alone.ok).toBe(true)
    }))

  test('it is signed again with a key that this gate never had', () =>
    always(async (memory, choice) => {
      const all = [...memory.stored.checkpoints.values()]
      fc.pre(all.length > 0)
      const index = choice % all.length
      const row = all[index] ?? { body: undefined }
      const { body } = row.body as Checkpoint
      row.body = { body, ...newKeys().sign(checkpointText(body)) }
      expectFound(await verifyAudit(memory), ['checkpoint_forged'], 'checkpoints', index + 1)
    }))

  test('its row cannot be read', () =>
    always(async (memory, choice) => {
      const all = [...memory.stored.checkpoints.values()]
      fc.pre(all.length > 0)
      const row = all[choice % all.length]
      if (row !== undefined) row.body = 'garbage'
      expectFound(await verifyAudit(memory), ['unreadable'], 'checkpoints', (choice % all.length) + 1)
    }))

  test('it was signed over a root or a range that the entries do not have', async () => {
    const memory = memoryAudit()
    for (let at = 0; at < 5; at += 1) memory.append('a', draft(at))
    await writeCheckpoint(memory)
    const [row = { body: undefined }] = memory.stored.checkpoints.values()
    const { body } = row.body as Checkpoint
    const [head] = body.streams
    const resign = (change: object) => {
      const changed = { ...body, ...change }
      row.body = { body: changed, ...memory.keys.sign(checkpointText(changed)) }
    }
    const changes = [
      { streams: [{ ...head, root: 'f'.repeat(64) }] },
      { streams: [{ ...head, from: 2 }] },
      { streams: [head, head], count: 10 },
      { count: 4 },
    ]
    for (const change of changes) {
      resign(change)
      expectFound(await verifyAudit(memory), ['checkpoint_mismatch'], 'checkpoints', 1)
    }
    resign({ prev: 'f'.repeat(64) })
    expectFound(await verifyAudit(memory), ['checkpoint_missing'], 'checkpoints', 0)
    resign({ number: 2 })
    expectFound(await verifyAudit(memory), ['checkpoint_missing'], 'checkpoints', 1)
  })
})

describe('checkpoints signed by our own key', () => {
  async function twoStreams() {
    const memory = memoryAudit()
    for (const stream of ['a', 'b']) memory.append(stream, draft(1))
    await writeCheckpoint(memory)
    memory.append('a', draft(2))
    await writeCheckpoint(memory)
    const [first = { place: 0, body: undefined }, second = { place: 0, body: undefined }] =
      memory.stored.checkpoints.values()
    const { body } = second.body as Checkpoint
    const resign = (streams: readonly StreamHead[], count: number) => {
      const changed = { ...body, streams: [...streams], count }
      second.body = { body: changed, ...memory.keys.sign(checkpointText(changed)) }
    }
    return { memory, first, second, body, resign }
  }

  test('that leave out a stream, or list them in another order, contradict the one before', async () => {
    const { memory, body, resign } = await twoStreams()
    resign(body.streams.toReversed(), 3)
    expectFound(await verifyAudit(memory), ['checkpoint_mismatch'], 'checkpoints', 2)
    resign(body.streams.slice(0, 1), 2)
    expectFound(await verifyAudit(memory), ['checkpoint_mismatch'], 'checkpoints', 2)
    resign(body.streams, 3)
    expect(await verifyAudit(memory)).toMatchObject({ ok: true })
  })

  test('that drop entries do not match the existing ones', async () => {
    const { memory, body, resign } = await twoStreams()
    const [a, b] = body.streams
    if (a === undefined || b === undefined) throw new Error('there are two streams')
    resign([{ ...a, to: 1, head: memory.stored.heads.get('a')?.hash ?? '' }, b], 2)
    expectFound(await verifyAudit(memory), ['checkpoint_mismatch'], 'checkpoints', 2)
  })

  test('that occur twice are out of place', async () => {
    const { memory, first, second } = await twoStreams()
    second.body = first.body
    expectFound(await verifyAudit(memory), ['checkpoint_mismatch'], 'checkpoints', 2)
  })
})

describe('a shipped checkpoint', () => {
  test('detects entries that were cut together with heads and checkpoints', () =>
    always(async (memory, choice) => {
      const against = checkpointsOf(memory)
      const picked = pick(memory, choice)
      const { stream, seq } = picked
      fc.pre(seq <= signedIn(memory, stream))
      cutBefore(memory, picked)
      for (const [id, { body }] of memory.stored.checkpoints)
        if ((body as Checkpoint).body.streams.some((head) => head.stream === stream && head.to >= seq))
          memory.stored.checkpoints.delete(id)
      expect((await verifyAudit(memory)).ok).toBe(true)
      // The newest alone is enough.
      for (const shipped of [against, against.slice(-1)])
        expectFound(await verifyAudit(memory, { against: shipped }), [seq === 1 ? 'missing' : 'truncated'], stream, seq)
    }))

  test('detects a history that was rewritten and signed again by the gate itself', async () => {
    const memory = memoryAudit()
    for (let at = 0; at < 8; at += 1) memory.append('a', draft(at))
    await writeCheckpoint(memory)
    const against = checkpointsOf(memory)
    memory.stored.checkpoints.clear()
    rewriteFrom(memory, 'a', 3)
    memory.append('a', draft(9))
    await writeCheckpoint(memory)
    expect((await verifyAudit(memory)).ok).toBe(true)
    expectFound(await verifyAudit(memory, { against }), ['checkpoint_mismatch'], 'a', 8)
  })

  test('detects a checkpoint that was replaced by another genuine one over the same entries', async () => {
    const memory = memoryAudit()
    memory.append('a', draft(1))
    await writeCheckpoint(memory)
    const against = checkpointsOf(memory)
    memory.stored.checkpoints.clear()
    await writeCheckpoint({ ...memory, checkpointFile: memoryCheckpointFile() })
    expectFound(await verifyAudit(memory, { against }), ['checkpoint_mismatch'], 'checkpoints', 1)
  })

  test('that is not signed is itself a finding', async () => {
    const memory = memoryAudit()
    memory.append('a', draft(1))
    await writeCheckpoint(memory)
    const against = checkpointsOf(memory).map((checkpoint) => ({ ...checkpoint, signature: '0'.repeat(128) }))
    expectFound(await verifyAudit(memory, { against }), ['checkpoint_forged'], 'checkpoints', 1)
  })
})

function editedCheckpoint(checkpoint: Checkpoint, choice: number): unknown {
  const { body } = checkpoint
  const [head, ...rest] = body.streams
  const edits: unknown[] = [
    { ...checkpoint, key: 'k2' },
    { ...checkpoint, signature: checkpoint.signature.replace(/^./, (first) => (first === '0' ? '1' : '0')) },
    { ...checkpoint, signature: '' },
    { ...checkpoint, more: 1 },
    { ...checkpoint, body: { ...body, number: body.number + 1 } },
    { ...checkpoint, body: { ...body, at: body.at + 1 } },
    { ...checkpoint, body: { ...body, count: body.count - 1 } },
    { ...checkpoint, body: { ...body, prev: 'f'.repeat(64) } },
    { ...checkpoint, body: { ...body, streams: rest } },
    { ...checkpoint, body: { ...body, streams: [{ ...head, head: 'f'.repeat(64) }, ...rest] } },
    { ...checkpoint, body: { ...body, streams: [{ ...head, to: 1000 }, ...rest] } },
    { ...checkpoint, body: { ...body, v: 2 } },
    'text',
    null,
  ]
  return edits[choice % edits.length]
}
