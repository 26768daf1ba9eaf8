import { expect, test } from 'vitest'
import type { Caller, CallerKind } from '../contract/caller.ts'
import { compileRoutes } from '../approvals/routes/routes.ts'
import type { Change } from '../ports/ledger.ts'
import type { Tables } from '../ports/reads.ts'
import { settleCall, type SettleDeps } from './settle-call.ts'

const who = (user: string, kind: CallerKind = 'approver'): Caller => ({ kind, id: `${kind}:${user}`, user })

/** A routed call with an unknown outcome, as far as settling uses it. */
const ROWS = {
  calls: {
    call_id: 'call_000000000000000000000001',
    approval_id: 'auth_1',
    state: 'unknown',
    verdict: { effect: 'ask', evidence: [] },
    caller: who('ana', 'agent'),
  },
  approvals: {
    approval_id: 'auth_1',
    route: { id: 'r', group: 'payments', people: 2 },
    decisions: [],
    caller: who('ana', 'agent'),
  },
} as const

function depsWith(): { readonly deps: SettleDeps; readonly committed: (readonly Change[])[] } {
  const committed: (readonly Change[])[] = []
  const row = async (table: string) => {
    const found = ROWS[table as keyof typeof ROWS]
    return { row: found, version: 1, cursor: 1 }
  }
  const tables = { row, list: async () => [], count: async () => 0 } as unknown as Tables
  const deps = {
    tables,
    ledger: {
      commit: async (changes: readonly Change[]) => {
        committed.push(changes)
        return 'committed' as const
      },
    },
    clock: () => 1,
    ids: {},
    links: () => ({ url: '' }),
    routes: compileRoutes({ groups: { payments: ['ada', 'bob'] }, routes: [] }),
  } as unknown as SettleDeps
  return { deps, committed }
}

test('only those who are asked about a routed call can order a retry', async () => {
  const { deps, committed } = depsWith()
  const code = async (by: Caller) => {
    const settled = await settleCall(deps, by, ROWS.calls.call_id, 'failed', {})
    return settled.ok ? 'ok' : settled.problem.code
  }
  expect(await code(who('dan'))).toBe('approval.unknown')
  expect(await code(who('root', 'admin'))).toBe('approval.not_asked')
  expect(committed).toEqual([])
  expect(await code(who('ada'))).toBe('ok')
  expect(committed).toHaveLength(1)
})
