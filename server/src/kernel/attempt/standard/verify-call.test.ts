import { compilePolicy } from '../../policy/compile-policy.ts'
import { JUDGEMENT } from '../../../../test/judging.ts'
import { UNKNOWN_FILES } from '../../ports/files.ts'
import { describe, expect, test } from 'vitest'
import type { CallRow } from '../../contract/call.ts'
import { problem } from '../../contract/problems.ts'
import type { Tool } from '../../contract/tool.ts'
import { checkCall } from './check-call.ts'
import { createIntake } from '../intake.ts'
import type { Change, Committed } from '../../ports/ledger.ts'
import type { ToolReply } from '../../ports/upstream.ts'
import { verifyCall, type VerifyDeps } from './verify-call.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy does not compile')
const POLICY = compiled.value

const HASH = 'a'.repeat(64)
const row: CallRow = {
  v: 1,
  call_id: 'call_000000000000000000000000',
  caller: { kind: 'agent', id: 'agent:a', user: 'ana' },
  tool_id: 's__act',
  server: 's',
  definition_hash: HASH,
  canonical_args: '{}',
  args_hash: HASH,
  thread: 't1',
  trace: 'trace',
  received_at: 0,
  state: 'executed',
  verdict: { effect: 'allow', evidence: [] },
  policy_version: HASH,
  idempotent: false,
  attempt: 3,
  due: 'verify',
  read_back: { tool: 'look', args: { id: 7 }, expect: [{ path: 'ok', equals: true }], expected: ['`ok` equals true'] },
}
const definition = { name: 'look', inputSchema: { type: 'object', properties: { id: { type: 'number' } } } }
const reader = {
  row: {
    tool_id: 's__look',
    server: 's',
    definition,
    definition_hash: HASH,
    admitted: { hash: HASH, definition },
  },
  effects: ['read'],
} as unknown as Tool
const answered = (ok: boolean): ToolReply => ({
  is: 'answered',
  result: { content: [], structuredContent: { ok } },
})

/** Fakes for the ports: one answer, a list of results for the commits, and everything that was sent and tried. */
function rig(answer: ToolReply, fates: readonly Committed[] = [], tool: Tool | undefined = reader) {
  const committed: (readonly Change[])[] = []
  const sent: string[] = []
  const attempts: (() => Promise<boolean>)[] = []
  const left = [...fates]
  const deps: VerifyDeps = {
    servers: {
      generation: () => 1,
      async call({ tool: name, canonical_args, idempotency_key }) {
        sent.push(`${name} ${canonical_args} ${idempotency_key}`)
        return answer
      },
    },
    policy: () => POLICY,
    catalogue: { tool: (id) => (id === 's__look' ? tool : undefined), tools: () => [], lookAlikes: () => [] },
    ledger: {
      async commit(changes) {
        committed.push(changes)
        return left.shift() ?? 'committed'
      },
    },
    tables: { row: async () => undefined, list: async () => [], count: async () => 0 },
    digest: () => HASH,
    judgement: JUDGEMENT,
    files: UNKNOWN_FILES,
    clock: () => 5,
    probe: () => {},
    intake: createIntake(),
    persist: (attempt) => void attempts.push(attempt),
  }
  const typesOf = () =>
    committed.flatMap((changes) => changes.flatMap((one) => (one.kind === 'audit' ? [one.entry.type] : [])))
  return { deps, committed, sent, attempts, typesOf }
}

describe('a check before a call', () => {
  const checking = {
    ...reader,
    row: { ...reader.row, tool_id: 's__act' },
    check: { tool: 'look', args: {}, expect: [{ path: 'ok', equals: true }] },
  } as unknown as Tool
  test.each([
    ['unavailable', 'audit.unavailable'],
    [{ in_doubt: 'x' }, 'audit.in_doubt'],
  ] as const)('that is not recorded (%j) is not sent, stops the call, and says why', async (word, code) => {
    const { deps, sent } = rig(answered(true), [word])
    expect(await checkCall(deps, row, checking, '1')).toMatchObject({ is: 'stopped', problem: { code } })
    expect(sent).toEqual([])
  })
})

describe('reading back', () => {
  test('is recorded before it is sent, under a key derived from the call, and leaves the call executed', async () => {
    for (const ok of [true, false]) {
      const { deps, sent, typesOf } = rig(answered(ok))
      const verified = await verifyCall(deps, { row, version: 2 })
      expect(verified).toMatchObject({ state: 'executed', evidence: { verify: { ok, tool: 's__look', digest: HASH } } })
      expect([verified.due, verified.read_back]).toEqual([undefined, undefined])
      expect(sent).toEqual([`look {"id":7} ${row.call_id}/verify/3`])
      expect(typesOf()).toEqual(['call.verify_started', ok ? 'call.verified' : 'call.unverified'])
    }
  })

  test('that cannot be recorded is not sent, and is retried', async () => {
    const { deps, sent, attempts } = rig(answered(true), ['unavailable', 'unavailable'])
    expect(await verifyCall(deps, { row, version: 2 })).toEqual(row)
    expect(sent).toEqual([])
    expect(await attempts[0]?.()).toBe(false)
    expect(sent).toEqual([])
    expect(await attempts[0]?.()).toBe(true)
    expect(sent).toHaveLength(1)
  })

  test('whose finding cannot be recorded stays due and is retried; a gate that stops gives up', async () => {
    const { deps, attempts, committed } = rig(answered(true), ['committed', 'unavailable', 'committed', 'unavailable'])
    expect(await verifyCall(deps, { row, version: 2 })).toMatchObject({ due: 'verify' })
    expect(await attempts[0]?.()).toBe(false)
    deps.intake.close(problem('gate.stopping'))
    const before = committed.length
    expect(await attempts[0]?.()).toBe(true)
    expect(committed).toHaveLength(before)
  })

  test('that a stopping gate interrupts stays due for the next start; otherwise its result stays unknown', async () => {
    const lost: ToolReply = { is: 'lost', problem: problem('tool.broke_off') }
    const stopping = rig(lost)
    stopping.deps.intake.close(problem('gate.stopping'))
    expect(await verifyCall(stopping.deps, { row, version: 2 })).toEqual(row)
    const going = rig(lost)
    expect(await verifyCall(going.deps, { row, version: 2 })).toMatchObject({
      state: 'executed',
      evidence: { verify: { ok: 'unknown', says: 's__look: it could not be asked [tool.broke_off]' } },
    })
  })

  test.each([
    ['is not offered', undefined, 'its server does not offer it'],
    ['no longer exists', { ...reader, row: { ...reader.row, gone_at: 1 } }, 'its server does not offer it'],
    [
      'was never admitted',
      { ...reader, row: { ...reader.row, admitted: undefined } },
      'its definition is not the admitted one',
    ],
    ['changed', { ...reader, row: { ...reader.row, definition_hash: 'b' } }, 'its definition is not the admitted one'],
    ['writes', { ...reader, effects: ['read', 'write'] }, 'it does more than read'],
    [
      'requires other arguments',
      {
        ...reader,
        row: {
          ...reader.row,
          definition_hash: 'c',
          admitted: { hash: 'c', definition: { name: 'look', inputSchema: { required: ['x'] } } },
        },
      },
      'the declared arguments do not match its schema',
    ],
  ])('does not ask a tool that %s', async (_, tool, says) => {
    const { deps, sent, typesOf } = rig(answered(true), [], tool as Tool | undefined)
    if (tool === undefined) deps.catalogue.tool = () => undefined
    expect(await verifyCall(deps, { row, version: 2 })).toMatchObject({
      evidence: { verify: { ok: 'unknown', says: `s__look: ${says}` } },
    })
    expect(sent).toEqual([])
    expect(typesOf()).toEqual(['call.unverified'])
  })

  test('that another process recorded first keeps that record', async () => {
    const { deps } = rig(answered(false), ['committed', { lost: 0 }])
    const { due: _, read_back: __, ...rest } = row
    const other: CallRow = { ...rest, evidence: {} }
    const read = async () => ({ version: 3, row: other, cursor: 1 })
    deps.tables.row = read as never
    expect(await verifyCall(deps, { row, version: 2 })).toEqual(other)
  })

  test('of a call that needs none does nothing', async () => {
    const { deps, committed } = rig(answered(true))
    const { due: _, ...done } = row
    expect(await verifyCall(deps, { row: done, version: 2 })).toEqual(done)
    expect(committed).toEqual([])
  })
})
