import { compilePolicy } from '../policy/compile-policy.ts'
import { JUDGEMENT } from '../../../test/judging.ts'
import { UNKNOWN_FILES } from '../ports/files.ts'
import { describe, expect, test } from 'vitest'
import type { CallRow } from '../contract/call.ts'
import { problem } from '../contract/problems.ts'
import type { Tool } from '../contract/tool.ts'
import { executeCall, type ExecuteDeps } from './execute-call.ts'
import { createIntake } from './intake.ts'
import { createRunningCalls } from './running-calls.ts'
import type { Change, Committed } from '../ports/ledger.ts'
import type { ToolReply } from '../ports/upstream.ts'

const compiled = compilePolicy({ text: 'preset: careful', file: 'p' }, { digest: () => 'a' })
if (!compiled.ok) throw new Error('the policy does not compile')
const POLICY = compiled.value

const HASH = 'a'.repeat(64)
const row: CallRow = {
  v: 1,
  call_id: 'call_000000000000000000000000',
  caller: { kind: 'agent', id: 'agent:a', user: 'ana' },
  tool_id: 's__t',
  server: 's',
  definition_hash: HASH,
  canonical_args: '{"b":1,"a":2}',
  args_hash: HASH,
  thread: 't1',
  trace: 'trace',
  received_at: 0,
  state: 'executing',
  verdict: { effect: 'allow', evidence: [] },
  policy_version: HASH,
  idempotent: false,
  attempt: 1,
}

/** Fakes for the ports: a tool server with one answer, a ledger with a list of results. */
function rig(answer: ToolReply, fates: readonly Committed[], outputSchema?: Tool['row']['definition']['outputSchema']) {
  const committed: (readonly Change[])[] = []
  const sent: string[] = []
  const attempts: (() => Promise<boolean>)[] = []
  const left = [...fates]
  const definition = { name: 't', inputSchema: {}, ...(outputSchema === undefined ? {} : { outputSchema }) }
  const tool = { row: { tool_id: 's__t', server: 's', definition, definition_hash: HASH } } as unknown as Tool
  const deps: ExecuteDeps = {
    servers: {
      generation: () => 1,
      call: async ({ canonical_args }) => {
        sent.push(canonical_args)
        return answer
      },
    },
    sessions: { note: () => {} },
    volume: { add: () => {} },
    policy: () => POLICY,
    catalogue: { tool: () => tool, tools: () => [tool], lookAlikes: () => [] },
    artifacts: { put: async () => undefined, read: async () => undefined, expire: async () => 0, erase: async () => 0 },
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
    links: (id) => ({ url: id }),
    running: createRunningCalls({ publish: () => {}, subscribe: () => () => {}, onMissed: () => () => {} }),
    intake: createIntake(),
    persist: (attempt) => void attempts.push(attempt),
  }
  return { deps, committed, sent, attempts }
}
const answered: ToolReply = { is: 'answered', result: { content: [{ type: 'text', text: 'ok' }] } }

describe('executing', () => {
  test('sends the canonical bytes that were hashed', async () => {
    const { deps, sent } = rig(answered, [])
    await executeCall(deps, { row, version: 1 })
    expect(sent).toEqual(['{"b":1,"a":2}'])
  })

  test('an outcome that cannot be recorded closes the intake until it can, and is recorded then', async () => {
    const { deps, attempts, committed } = rig(answered, ['unavailable', 'unavailable', 'committed'])
    expect(await executeCall(deps, { row, version: 1 })).toMatchObject({
      status: 'unknown',
      problem: { code: 'audit.unavailable' },
    })
    expect(deps.intake.closedBy()).toEqual(problem('audit.unavailable'))
    const [attempt] = attempts
    expect(await attempt?.()).toBe(false)
    expect(deps.intake.closedBy()).toEqual(problem('audit.unavailable'))
    expect(await attempt?.()).toBe(true)
    expect(deps.intake.closedBy()).toBeUndefined()
    expect(committed.at(-1)?.[0]).toMatchObject({ kind: 'swap', to: { state: 'executed' } })
  })

  test('if two outcomes cannot be recorded, recording the first does not open the intake, and a gate that stops stays closed', async () => {
    const { deps, attempts } = rig(answered, ['unavailable', 'unavailable'])
    await Promise.all([executeCall(deps, { row, version: 1 }), executeCall(deps, { row, version: 1 })])
    expect(await attempts[0]?.()).toBe(true)
    expect(deps.intake.closedBy()).toEqual(problem('audit.unavailable'))
    deps.intake.close(problem('gate.stopping'))
    expect(await attempts[1]?.()).toBe(true)
    expect(deps.intake.closedBy()).toEqual(problem('gate.stopping'))
  })

  test.each([
    { is: 'lost', idempotent: false, status: 'unknown', code: 'tool.timeout' },
    { is: 'lost', idempotent: true, status: 'failed', code: 'call.unanswered' },
    { is: 'not_sent', idempotent: false, status: 'failed', code: 'tool.timeout' },
  ] as const)('a call that was $is is $status when idempotent is $idempotent', async (expected) => {
    const { is, idempotent, status, code } = expected
    const { deps } = rig({ is, problem: problem('tool.timeout') }, [])
    expect(await executeCall(deps, { row: { ...row, idempotent }, version: 1 })).toMatchObject({
      status,
      problem: { code },
    })
  })

  test.each([
    { is: 'not_sent', idempotent: false, status: 'unknown' },
    { is: 'not_sent', idempotent: true, status: 'failed' },
  ] as const)(
    'a retry that was $is does not hide that the first attempt may have taken effect (idempotent: $idempotent)',
    async ({ is, idempotent, status }) => {
      const { deps, committed } = rig({ is, problem: problem('tool.unavailable', { why: 'restarting' }) }, [])
      const retried = { ...row, idempotent, attempt: 2 }
      const about = { retry: 'tool.unavailable', because: 'restarting' }
      expect(await executeCall(deps, { row: retried, version: 3 })).toMatchObject({
        status,
        problem: { code: 'call.not_retried', about },
      })
      expect(committed[0]?.[1]).toMatchObject({
        entry: { type: `call.${status}`, about: { code: 'call.not_retried' } },
      })
    },
  )

  test.each<[string, ToolReply]>([
    ['an error', { is: 'answered', result: { content: [{ type: 'text', text: 'no' }], isError: true } }],
    ['a protocol error', { is: 'rejected', error: { code: -32602, message: 'no' } }],
  ])('a retry that ends with %s says that the first attempt may have taken effect', async (_, answer) => {
    const end = async (changed: Partial<CallRow>) => {
      const outcome = await executeCall(rig(answer, []).deps, { row: { ...row, ...changed }, version: 1 })
      expect(outcome).toMatchObject({ status: 'failed', problem: { code: 'tool.failed' } })
      return 'hint' in outcome ? outcome.hint : undefined
    }
    expect(await end({ attempt: 2 })).toContain('not known whether the earlier attempt took effect')
    expect(await end({ attempt: 1 })).toBeUndefined()
    expect(await end({ attempt: 2, idempotent: true })).toBeUndefined()
  })

  test('a call that only reads and got no answer is failed, whoever declared that it reads', async () => {
    const judged = { now: 0, effects: ['read'], risk: 'low' } as const
    const { deps } = rig({ is: 'lost', problem: problem('tool.timeout') }, [])
    const reading = { ...row, idempotent: false, judged }
    const unanswered = { code: 'call.unanswered', about: { because: 'tool.timeout' } }
    expect(await executeCall(deps, { row: reading, version: 1 })).toMatchObject({
      status: 'failed',
      problem: unanswered,
    })
    const writing = { ...reading, judged: { ...judged, effects: ['read', 'write'] as const } }
    expect(await executeCall(deps, { row: writing, version: 1 })).toMatchObject({ status: 'unknown' })
  })

  test("an answer that violates the tool's own output schema is not passed on as valid", async () => {
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
    const result = (structuredContent: Record<string, unknown>): ToolReply => ({
      is: 'answered',
      result: { content: [], structuredContent: structuredContent as never },
    })
    expect(await executeCall(rig(result({ n: 1 }), [], schema).deps, { row, version: 1 })).toMatchObject({
      status: 'executed',
    })
    expect(await executeCall(rig(result({ n: 'x' }), [], schema).deps, { row, version: 1 })).toMatchObject({
      status: 'failed',
      problem: { code: 'tool.output_invalid' },
    })
  })

  test('a call that is not marked executing is a bug, not a call', async () => {
    await expect(
      executeCall(rig(answered, []).deps, { row: { ...row, state: 'pending' }, version: 1 }),
    ).rejects.toThrow('executing')
  })
})
