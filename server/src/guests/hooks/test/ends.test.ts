import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { reportToolUse } from '../endpoints.ts'
import { judgeToolUse } from '../judge-tool-use.ts'
import type { CallRow } from '../../../kernel/contract/call.ts'
import { endUnreported, endUnused, type UnreportedPorts } from '../end-unreported.ts'
import {
  ADMIN,
  AGENT,
  APPROVER,
  approveShown,
  auditTypes,
  openTestGate,
  until,
  withGate,
} from '../../../../test/helpers/with-gate.ts'
import { IS_WHOLE } from '../../../../test/some-of.ts'

const CONFIG = { servers: { codex: { client: 'codex' } } }
const use = (command: string) =>
  ({ caller: AGENT, client: 'codex', tool: 'Bash', args: { command }, thread: 'codex:s1' }) as const
const POLICY = 'preset: careful'

test('a call that was never reported ends as `not_reported` at the next start, and a late report changes nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ends-'))
  try {
    const first = await openTestGate(folder, { config: CONFIG, policy: POLICY })
    const judged = await judgeToolUse(first.ports, use('ls'), 0)
    expect(judged).toMatchObject({ decision: 'allow' })
    const call_id = String(judged.call_id)
    await first.opened.close()
    const second = await openTestGate(folder, { config: CONFIG, policy: POLICY })
    expect(await second.outcome(call_id)).toEqual({ status: 'not_reported', call_id })
    expect(await auditTypes(second.gate)).toContain('call.not_reported')
    const late = await reportToolUse(second.ports, use('ls'), { output: 'a b', failed: false })
    expect(late).toEqual({ ok: true, value: { recorded: false } })
    expect(await second.outcome(call_id)).toEqual({ status: 'not_reported', call_id })
    // Nobody has to settle it.
    expect(await second.gate.calls.settle(ADMIN, call_id, 'done')).toMatchObject({ ok: false })
    await second.opened.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('running calls of hook clients end after six hours, and no others do', async () => {
  const HOURS = 3_600_000
  const ABOUT = { caller: AGENT, tool_id: 'codex__Bash', verdict: { effect: 'allow', evidence: [] } }
  const rows = [
    { call_id: 'call_old', executor: 'client', started_at: 0 },
    { call_id: 'call_new', executor: 'client', started_at: 2 * HOURS },
    { call_id: 'call_ours', started_at: 0 },
  ].map((row, at) => ({ row: { ...row, ...ABOUT, state: 'executing' } as unknown as CallRow, version: 1, cursor: at }))
  const ended: string[] = []
  const deps = {
    clock: () => 7 * HOURS,
    tables: { list: () => Promise.resolve(rows) },
    ledger: {
      commit: ([change]: readonly { id: string }[]) => {
        ended.push(change?.id ?? '')
        return Promise.resolve('committed')
      },
    },
  } as unknown as UnreportedPorts
  expect([await endUnreported(deps), ended]).toEqual([1, ['call_old']])
})

test.skipIf(!IS_WHOLE)(
  'an approval that was not used before it expired ends its call as refused, and nothing runs',
  async () => {
    await withGate(
      async ({ gate, opened, outcome }) => {
        const held = await judgeToolUse(gate.ports, use('touch x'), 0)
        const [call_id, approval_id] = [String(held.call_id), String(held.approval_id)]
        expect((await approveShown(gate, APPROVER, approval_id)).ok).toBe(true)
        await opened.sweep()
        expect(await gate.calls.read(ADMIN, call_id, 0)).toMatchObject({ value: { status: 'pending' } })
        const read = await gate.approvals.read(ADMIN, approval_id)
        const expires_at = read.ok ? read.value.expires_at : 0
        await until(() => Date.now() > expires_at)
        expect([await endUnreported(gate.ports), await endUnused(gate.ports)]).toEqual([0, 1])
        expect(await outcome(call_id)).toMatchObject({ status: 'refused', problem: { code: 'approval.expired' } })
        expect([await endUnreported(gate.ports), await endUnused(gate.ports)]).toEqual([0, 0])
        // The same call later is a new request.
        const again = await judgeToolUse(gate.ports, use('touch x'), 0)
        expect([again.decision, again.approval_id === approval_id]).toEqual(['ask', false])
      },
      { config: { ...CONFIG, approvals: { expires_s: 3 } }, policy: POLICY },
    )
  },
  60_000,
)
