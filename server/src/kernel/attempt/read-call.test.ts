import { expect, test } from 'vitest'
import type { CallRow } from '../contract/call.ts'
import type { Caller } from '../contract/caller.ts'
import { readCall, type ReadCallDeps } from './read-call.ts'

const BY: Caller = { kind: 'approver', id: 'approver:bob', user: 'bob' }
const UNKNOWN = {
  call_id: 'call_000000000000000000000001',
  tool_id: 's__t',
  state: 'unknown',
  verdict: { effect: 'allow', evidence: [] },
  caller: { kind: 'agent', id: 'agent:a', user: 'ana' },
  problem: { code: 'call.interrupted', about: {} },
} as unknown as CallRow

/** A call whose row a test replaces while it is being waited for. */
function watched(first: CallRow) {
  let row = first
  let onChange: (() => void) | undefined
  const deps = {
    tables: { row: async () => ({ row, version: 1, cursor: 1 }) },
    watch: { onRow: (_table: string, _id: string, callback: () => void) => ((onChange = callback), () => undefined) },
    stopping: new AbortController().signal,
    after: () => () => undefined,
    links: () => ({ url: '' }),
  } as unknown as ReadCallDeps
  return {
    deps,
    become(next: CallRow) {
      row = next
      onChange?.()
    },
  }
}

test('whoever waits for an interrupted call gets the outcome of the retry that was ordered', async () => {
  const { deps, become } = watched({ ...UNKNOWN, idempotent: true, settled: { by: 'recovery', as: 'retry', at: 1 } })
  const read = readCall(deps, BY, UNKNOWN.call_id, 1_000)
  let isOver = false
  void read.then(() => (isOver = true))
  for (let turn = 0; turn < 5; turn += 1) await new Promise((done) => setImmediate(done))
  expect(isOver).toBe(false)
  become({ ...UNKNOWN, state: 'executing' })
  become({ ...UNKNOWN, state: 'failed', problem: { code: 'tool.timeout', about: {} } })
  expect(await read).toMatchObject({ ok: true, value: { status: 'failed' } })
})

test('a call that waits for a person to settle it is reported as unknown at once', async () => {
  expect(await readCall(watched(UNKNOWN).deps, BY, UNKNOWN.call_id, 1_000)).toMatchObject({
    value: { status: 'unknown' },
  })
})
