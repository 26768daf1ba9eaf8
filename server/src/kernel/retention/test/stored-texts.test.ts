import { STORED_TABLES } from '../../../adapters/stores/listed.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSealedStore } from '../../../main/open-sealed-store.ts'
import { tableEntries } from '../../../main/guest-parts.ts'
import { LISTED_BY, SEARCHED_BY, type Change, type Rows } from '../../ports/ledger.ts'
import { labelSession } from '../../sessions/label.ts'
import { fates, ROWS_OF_GUESTS, type Fates, type PlantedRow } from '../../../../test/stored-rows.ts'
import { filesBelow } from '../../../../test/live-files.ts'
import { ADMIN, AGENT, APPROVER, openTestGate, pendingOf, type GateRig } from '../../../../test/helpers/with-gate.ts'

vi.setConfig({ testTimeout: 60_000 })
const PLANTED = 'planted-private-text'

let folder: string
let rig: GateRig
const OPTIONS = {
  policy: 'rules: [{ id: harmless, effect: allow, match: { tool: book__echo }, says: harmless }]',
}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-texts-'))
  rig = await openTestGate(folder, OPTIONS)
})
afterEach(async () => {
  await rig.opened.close()
  rmSync(folder, { recursive: true, force: true })
})
const filesWithText = (): string[] =>
  filesBelow(join(folder, 'data'))
    .filter(({ bytes }) => bytes.includes(PLANTED))
    .map(({ path }) => path.slice(join(folder, 'data').length + 1))

const BEN = { kind: 'agent', id: 'agent:ben', user: 'ben' } as const
const ANA_DECIDES = { kind: 'approver', id: 'approver:ana', user: 'ana' } as const

test('what a person writes anywhere is gone after they were erased, and nothing of it is in the audit', async () => {
  const { gate } = rig
  const told = await gate.approvals.delegate(ANA_DECIDES, { to: 'dan', for_s: 3_600, reason: `${PLANTED} reason` })
  expect(told).toMatchObject({ ok: true })
  await rig.call(`${PLANTED}__tool`, {})
  await rig.call(PLANTED, { text: PLANTED })
  await rig.call('book__echo', { text: PLANTED, more: 1 })
  await rig.call('book__echo', { text: PLANTED }, { words: `${PLANTED} said` })
  const bens = pendingOf(await rig.call('book__note', { text: 'of ben' }, { caller: BEN }))
  await gate.approvals.decide(ANA_DECIDES, bens.approval_id, { says: 'deny', reason: `${PLANTED} why` })
  const own = pendingOf(await rig.call('book__note', { text: PLANTED }))
  await gate.approvals.decide(APPROVER, own.approval_id, { says: 'deny', reason: `${PLANTED} why` })
  expect(JSON.stringify(await gate.audit.page('main', 1, 1_000))).not.toContain(PLANTED)
  expect(filesWithText()).not.toEqual([])
  const erased = await gate.retention.eraseUser(ADMIN, { user: 'ana', withdraw: true })
  expect(erased).toMatchObject({ ok: true, value: { open: [] } })
  expect(filesWithText()).toEqual([])
  // What was decided, by whom and until when, stays.
  expect(await gate.approvals.delegations(ANA_DECIDES)).toMatchObject({ value: [{ from: 'ana', to: 'dan' }] })
  expect(await rig.outcome(bens.call_id)).toMatchObject({ status: 'refused', problem: { code: 'approval.denied' } })
  expect(await gate.audit.verify([])).toMatchObject({ ok: true })
  const { entries, end } = { entries: await gate.audit.page('main', 1, 1_000), end: await gate.audit.prove('main', 1) }
  expect(entries.filter(({ type }) => type === 'call.refused')).toMatchObject([
    { about: { code: 'tool.unknown', name_hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown } },
    { about: { code: 'tool.unknown' } },
  ])
  expect(end).toMatchObject({ ok: true })
})

type KernelTable = keyof typeof LISTED_BY

/** A new table or field of the kernel does not compile until it is here; if it is `erased`, the test below plants a text in it. */
const FATES: { readonly [T in KernelTable]: Fates<T> } = {
  calls: fates(
    [
      'call_id caller tool_id server definition_hash thread v in_memory state verdict policy_version judged',
      'idempotent attempt approval_id held_until run_id idempotency_key identity boot started_at ended_at',
      'ended_day expired_at settled retry due called_off args_hash trace received_at executor node by_run task_of',
      'answerable evict_over answer_stream folded_hash',
    ],
    'canonical_args result output problem rollback evidence read_back',
  ),
  approvals: fates(
    [
      'v in_memory approval_id call_id run_id tool_id args_hash definition_hash caller thread by_run',
      'identity policy_version strength route evidence created_at expires_at state replaces replaced_by',
      'counted texts_expired_at hub_word retries',
    ],
    'canonical_args shown sources preview preview_raw decisions look_alikes edited_from from_node',
  ),
  consents: fates([
    'v consent_id actor user what lanes calls cost minted_by minted_key minted_user minted_at expires_at',
    'from_approval revoked_by revoked_at shelf',
  ]),
  runs: fates(
    [
      'v run_id in_memory kind status cursor driver timers created_at ended_at ended_day expired_at owner',
      'thread parent document volatile',
    ],
    'state executing cancelling waits_for result fault',
  ),
  tools: fates(['v tool_id server definition definition_hash admitted first_seen last_changed gone_at']),
  servers: fates(['v server added_at first_listed_at findings findings_told']),
  pauses: fates(['v scope effect active by reason at']),
  credentials: fates(['v key_id key_hash caller created_with grants_kept created_at expires_at revoked_at']),
  checkpoints: fates(['body key signature']),
  passphrases: fates(['v user sealed set_at set_by']),
  sessions: fates(['v caller thread seen_at']),
  labels: fates(['v label_id in_memory session at kind trust ended_day first_session of_user'], 'source text'),
  logins: fates(['v login_id caller user how created_at seen_at expires_at ended_at']),
  passkeys: fates(['v passkey_id user public_key counter transports created_at used_at revoked_at'], 'name'),
}

/** The stored form of a field that is more than a text. */
const PLANT: Readonly<Record<string, unknown>> = {
  'approvals.decisions': [{ by: 'approver:ben', user: 'ben', says: 'deny', how: 'role', reason: PLANTED, at: 1 }],
  'calls.problem': { code: 'tool.failed', about: { says: PLANTED } },
  'calls.output': { evicted: false, size_chars: 1, rehydration_allowed: true, summary: PLANTED },
  'runs.executing': [{ key: 'k', kind: 'k', with: { text: PLANTED } }],
  'runs.state': { caller: AGENT, text: PLANTED },
}

const ALL_FATES: Readonly<Record<string, Readonly<Record<string, 'kept' | 'erased'>>>> = {
  ...FATES,
  ...Object.fromEntries(ROWS_OF_GUESTS.map((rows) => [rows.table, rows.fates])),
}
const hasErased = (table: string) => Object.values(ALL_FATES[table] ?? {}).includes('erased')

/** A row of each table that somebody's text may be in, with one in each such field. */
function plantedRows(call: Rows['calls']): PlantedRow[] {
  const { approval_id: _, ...plain } = call
  const [run_id, call_id, approval_id] = ['run_0000000000000001', 'call_0000000000000001', 'auth_0000000000000001']
  const { caller, tool_id, definition_hash, args_hash, thread, policy_version, verdict } = call
  const request = { v: 1, approval_id, call_id, run_id, tool_id, definition_hash, args_hash, thread, policy_version }
  const asked = { ...request, strength: 'simple', evidence: verdict.evidence, created_at: 1, expires_at: 2 }
  const run = { v: 2, status: 'done', cursor: 0, timers: {}, created_at: 1, ended_at: 2 }
  const bases: [KernelTable, string, object][] = [
    ['calls', call_id, { ...plain, call_id, approval_id, state: 'executed' }],
    ['approvals', approval_id, { ...asked, caller, state: 'consumed' }],
    ['runs', run_id, { ...run, run_id, kind: 'toolflow' }],
    // A run of the gate itself: only its owner says whose it is.
    [
      'runs',
      'run_0000000000000002',
      { ...run, run_id: 'run_0000000000000002', kind: 'held-call', owner: '["x","ana"]' },
    ],
    ['labels', 'l1', { v: 1, label_id: 'l1', session: labelSession(AGENT, 't'), at: 1, kind: 'words' }],
    [
      'passkeys',
      'pk',
      { v: 1, passkey_id: 'pk', user: 'ana', public_key: 'x', counter: 0, transports: [], created_at: 1 },
    ],
  ]
  const own = bases.map(([table, id, base]) => {
    const fields = Object.entries(FATES[table]).filter(([, fate]) => fate === 'erased')
    const texts = Object.fromEntries(fields.map(([field]) => [field, PLANT[`${table}.${field}`] ?? PLANTED]))
    return { table, id, row: { ...base, ...texts } }
  })
  const planting = { agent: AGENT.id, approver: ANA_DECIDES.id, text: PLANTED }
  const ofGuests = ROWS_OF_GUESTS.flatMap(({ table, planted }) =>
    (planted?.(planting) ?? []).map((row) => ({ table, ...row })),
  )
  return [...own, ...ofGuests]
}

test('no field of any row that may contain a text survives the erasure of its person', async () => {
  const made = await rig.call('book__echo', { text: 'x' })
  // Known as a caller of hers.
  await rig.call('book__echo', { text: 'x' }, { caller: ANA_DECIDES })
  await rig.opened.close()
  const place = { folder: join(folder, 'data'), stream: 'main' }
  const store = await openSealedStore({ ...place, onFault: () => {}, onRejected: () => {} })
  if (!store.ok) throw new Error(store.problem.code)
  const call = await store.value.tables.row('calls', 'call_id' in made ? (made.call_id ?? '') : '')
  if (call === undefined) throw new Error('there is a call')
  const rows = plantedRows(call.row)
  const changes = rows.map(({ table, id, row }) => ({ kind: 'swap', table, id, from: 'absent', to: row }) as Change)
  const event: Change = { kind: 'event', run: 'run_0000000000000001', event: { type: 'x', text: PLANTED } }
  expect(await store.value.ledger.commit([...changes, event])).toBe('committed')
  await store.value.close()
  expect(new Set(rows.map(({ table }) => table))).toEqual(new Set(Object.keys(ALL_FATES).filter(hasErased)))
  for (const [table, of] of Object.entries(ALL_FATES)) {
    const planted = rows.filter((one) => one.table === table).flatMap(({ row }) => Object.entries(row))
    const fields = planted.flatMap(([field, value]) => (JSON.stringify(value).includes(PLANTED) ? [field] : []))
    expect(new Set(fields), table).toEqual(new Set(Object.keys(of).filter((field) => of[field] === 'erased')))
  }
  rig = await openTestGate(folder, OPTIONS)
  expect(filesWithText()).not.toEqual([])
  expect(await rig.gate.retention.eraseUser(ADMIN, { user: 'ana', withdraw: false })).toMatchObject({ ok: true })
  for (const { table, id } of rows) {
    const db = new DatabaseSync(join(folder, 'data/ledger.sqlite'), { readOnly: true })
    const stored = JSON.stringify(db.prepare(`SELECT * FROM ${table} WHERE id = ?`).get(id))
    db.close()
    expect(stored, `${table} ${id}`).not.toContain(PLANTED)
  }
  expect(filesWithText()).toEqual([])
  expect(await rig.gate.audit.verify([])).toMatchObject({ ok: true })
})

/** Columns of every table of rows, besides the fields that it is listed and searched by. `later` is set while a row is not durable. */
const OF_ROWS = ['pos', 'id', 'version', 'body', 'later', 'mac']

/** The other tables: keys, hashes, numbers and times, and the journals of runs, which are deleted with them. */
const OTHERS: Readonly<Record<string, string>> = {
  accounts: 'id units until mac',
  audit: 'place hash body',
  events: 'run seq body mac',
  heads: 'stream seq hash mac',
  once: 'key until mac',
  once_sums: 'stream n masked mac',
  sqlite_sequence: 'name seq',
  streams: 'number stream',
  wakes: 'run at',
  writers: 'id batch done exceptions at',
}

test('the database has no column besides those of the rows', async () => {
  const db = new DatabaseSync(join(folder, 'data/ledger.sqlite'), { readOnly: true })
  const columns = new Map<string, string[]>()
  for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
    const found = db.prepare(`SELECT name FROM pragma_table_xinfo('${String(name)}')`).all()
    columns.set(
      String(name),
      found.map((column) => String(column['name'])),
    )
  }
  db.close()
  for (const [table, found] of columns) {
    const listed: readonly string[] = STORED_TABLES[table] ?? []
    const searched: Readonly<Record<string, readonly string[]>> = SEARCHED_BY
    const known = OTHERS[table]?.split(' ') ?? [...OF_ROWS, ...listed, ...(searched[table] ?? [])]
    expect(
      found.filter((column) => !known.includes(column)),
      table,
    ).toEqual([])
  }
  const known = [...Object.keys(STORED_TABLES), ...Object.keys(OTHERS)]
  expect([...columns.keys()].toSorted()).toEqual(known.toSorted())
  const declared = [...Object.keys(LISTED_BY), ...(await tableEntries()).map(({ table }) => table)]
  expect(Object.keys(ALL_FATES).toSorted()).toEqual(declared.toSorted())
})
