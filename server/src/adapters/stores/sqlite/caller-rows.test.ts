import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { callerIdentity } from '../../../kernel/contract/caller-identity.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import type { CallRow } from '../../../kernel/contract/call.ts'
import { approval, approvalId, call, callId, runId } from '../ledger-fixtures.suite.ts'
import { freshFolders } from './fresh-folders.suite.ts'
import { openStore } from './open-store.suite.ts'
import { migrate, MIGRATIONS } from './schema.ts'
import { CALLER_ROWS } from './caller-rows.ts'

const folder = freshFolders()
const ana: Caller = { kind: 'agent', id: 'agent:claude', user: 'ana' }
const bob: Caller = { ...ana, user: 'bob' }
const FOR_EVER = Number.MAX_SAFE_INTEGER

/** How that release named the run of a call. */
const OF_A_RUN = { for_run: runId(3) }

/** As the previous release stored it: under the id alone. */
const CALLS: readonly CallRow[] = [
  call(callId(1), { caller: ana, state: 'executed', idempotency_key: 'agent:claude k 1' }),
  call(callId(2), { caller: bob, state: 'executed', idempotency_key: 'agent:claude k2', task_of: 'agent:claude' }),
  call(callId(3), {
    ...OF_A_RUN,
    caller: ana,
    state: 'executed',
    idempotency_key: `agent:claude toolflow/${runId(3)}`,
  }),
  call(callId(4), {
    caller: ana,
    state: 'executed',
    canonical_args: '{"sluice/inputs":{"responses":{}}}',
    idempotency_key: 'agent:claude k/2',
  }),
]

test('what was stored under a caller`s id is stored under its id and user, for its owner alone', async () => {
  const file = join(folder(), 'ledger.db')
  const db = new DatabaseSync(file, { timeout: 60_000 })
  const before = MIGRATIONS.slice(0, MIGRATIONS.indexOf(CALLER_ROWS))
  expect(migrate(db, before).ok).toBe(true)
  const insert = (table: string, columns: Record<string, string>, id: string, row: object) =>
    db
      .prepare(
        `INSERT INTO ${table} (id, version, body, ${Object.keys(columns).join(', ')}) VALUES (?, 1, ?, ${Object.keys(
          columns,
        )
          .map(() => '?')
          .join(', ')})`,
      )
      .run(id, JSON.stringify(row), ...Object.values(columns))
  const once = db.prepare('INSERT INTO once (key, until) VALUES (?, ?)')
  for (const row of CALLS) {
    const { idempotency_key = '', task_of } = row
    insert('calls', { idempotency_key, ...(task_of === undefined ? {} : { task_of }) }, row.call_id, row)
    once.run(`call ${idempotency_key}`, FOR_EVER)
  }
  const denied = { ...approval(approvalId(1), 'denied'), caller: ana, identity: 'by thread' }
  insert('approvals', { state: 'denied' }, approvalId(1), denied)
  db.exec("UPDATE approvals SET identity = text_key('by thread')")
  const consent = { v: 1, consent_id: 'cons_1', actor: 'caller:agent:claude', from_approval: approvalId(1), shelf: 'x' }
  insert('consents', { shelf: 'x' }, 'cons_1', consent)
  insert('consents', { shelf: 'x' }, 'cons_2', { ...consent, from_approval: undefined })
  insert('credentials', { key_hash: 'h' }, 'key_1', { caller: ana })
  for (const key of ['request agent:claude post', 'request agent:other post', 'request agent:corp/eve post'])
    once.run(key, FOR_EVER)
  db.close()

  const store = await openStore(file, { alone: true })
  const keyed = async (key: string) =>
    (await store.list('calls', { idempotency_key: key }, { limit: 10 })).map(({ row }) => row.call_id)
  expect(await keyed('["call","agent:claude","ana","k 1"]')).toEqual([callId(1)])
  expect(await keyed('["call","agent:claude","bob","k 1"]')).toEqual([])
  expect(await keyed('["call","agent:claude","bob","k2"]')).toEqual([callId(2)])
  expect(await keyed(`["run","agent:claude","ana","toolflow/${runId(3)}"]`)).toEqual([callId(3)])
  expect(await keyed('["call","agent:claude","ana","k",2]')).toEqual([callId(4)])
  expect((await store.list('calls', { task_of: callerIdentity(bob) }, { limit: 10 })).length).toBe(1)
  const identity = JSON.stringify(['agent:claude', 'ana', denied.tool_id, denied.args_hash])
  expect((await store.list('approvals', { identity }, { limit: 10 })).map(({ row }) => row.identity)).toEqual([
    identity,
  ])
  expect((await store.row('consents', 'cons_1'))?.row.user).toBe('ana')
  expect((await store.row('consents', 'cons_2'))?.row.user).toBeUndefined()
  // A key that was taken is still taken, for its owner.
  const isTaken = async (key: string) => (await store.commit([{ kind: 'once', key, until: 9 }])) !== 'committed'
  expect(await isTaken('call ["call","agent:claude","ana","k 1"]')).toBe(true)
  expect(await isTaken('call ["call","agent:claude","bob","k 1"]')).toBe(false)
  expect(await isTaken('request ["request","agent:claude","ana","post"]')).toBe(true)
  expect(await isTaken('request ["request","agent:claude","bob","post"]')).toBe(false)
  expect(await isTaken('request ["request","agent:other","local","post"]')).toBe(true)
  expect(await isTaken('request ["request","agent:corp/eve","eve","post"]')).toBe(true)
  await store.close()
})
