import { STORED_TABLES } from '../../../adapters/stores/listed.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSealedStore } from '../../../main/open-sealed-store.ts'
import { SEARCHED_BY, type Change, type Rows, type Table } from '../../ports/ledger.ts'
import { labelSession } from '../../sessions/label.ts'
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

/** Every field of a row, also of those that only some of its forms have. */
type FieldsOf<Row> = Row extends unknown ? Extract<keyof Row, string> : never
/**
 * `erased`: may contain what a person or their agent wrote. `kept`: ids, names, hashes, times, states, verdicts, definitions, and what
 * docs/operate/backup-and-upgrade.md lists as not removed.
 */
type Fates = { readonly [T in Table]: { readonly [F in FieldsOf<Rows[T]>]-?: 'kept' | 'erased' } }

type Words<Text extends string> = Text extends `${infer First} ${infer More}` ? First | Words<More> : Text
type Fated<Kept extends string, Erased extends string> = { readonly [F in Words<Kept>]: 'kept' } & {
  readonly [F in Words<Erased>]: 'erased'
}
const words = (text: string) => text.split(' ').filter((word) => word !== '')
function fates<Kept extends string, Erased extends string = ''>(
  keeps: readonly Kept[],
  erases?: Erased,
): Fated<Kept, Erased> {
  return {
    ...Object.fromEntries(keeps.flatMap(words).map((field) => [field, 'kept'])),
    ...Object.fromEntries(words(erases ?? '').map((field) => [field, 'erased'])),
  } as Fated<Kept, Erased>
}

/** A new table or field does not compile until it is here; if it is `erased`, the test below plants a text in it. */
const FATES: Fates = {
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
  habits: fates(['v caller'], 'habits'),
  sessions: fates(['v caller thread seen_at']),
  labels: fates(['v label_id in_memory session at kind trust ended_day first_session of_user'], 'source text'),
  logins: fates(['v login_id caller user how created_at seen_at expires_at ended_at']),
  passkeys: fates(['v passkey_id user public_key counter transports created_at used_at revoked_at'], 'name'),
  pushes: fates(['v push_id user caller key created_at ended_at'], 'endpoint p256dh auth name'),
  flows: fates(
    [
      'shelf shelf_status shelf_flow shelf_flow_status v is vault_id flow steps run_id flow_id flow_version',
      'scope status step_states started provenance task_ref external_ref title consents executions',
      'proposal_id state source queue body frontmatter step_id flow_title step_title evaluation',
      'evaluation_required rubric evaluated_by proposed_by created decided_by decided proposer',
    ],
    'history intent note waived reason',
  ),
  flow_consents: fates([
    'v consent_id vault_id scope run_id flow_id flow_version allowed_lanes cost_cap_units actor_hash',
    'minted_by minted_key lifts_asks minted_at expires_at revoked_at revoked_by of_run',
  ]),
  documents: fates(['v part name current sha256 owner at author schedules number text rolled_back_to']),
  agent_values: fates(['v agent key value at by_run']),
}

/** The stored form of a field that is more than a text. */
const PLANT: Readonly<Record<string, unknown>> = {
  'approvals.decisions': [{ by: 'approver:ben', user: 'ben', says: 'deny', how: 'role', reason: PLANTED, at: 1 }],
  'calls.problem': { code: 'tool.failed', about: { says: PLANTED } },
  'calls.output': { evicted: false, size_chars: 1, rehydration_allowed: true, summary: PLANTED },
  'flows.history': [{ at: '', by: ANA_DECIDES.id, did: 'abandoned', step_id: null, note: PLANTED }],
  'habits.habits': [{ words: [PLANTED], tool_id: 'book__echo', times: 1 }],
  'runs.executing': [{ key: 'k', kind: 'k', with: { text: PLANTED } }],
  'runs.state': { caller: AGENT, text: PLANTED },
}

/** A row of each table that somebody's text may be in, with one in each such field. */
function plantedRows(call: Rows['calls']): { table: Table; id: string; row: object }[] {
  const { approval_id: _, ...plain } = call
  const [run_id, call_id, approval_id] = ['run_0000000000000001', 'call_0000000000000001', 'auth_0000000000000001']
  const { caller, tool_id, definition_hash, args_hash, thread, policy_version, verdict } = call
  const request = { v: 1, approval_id, call_id, run_id, tool_id, definition_hash, args_hash, thread, policy_version }
  const asked = { ...request, strength: 'simple', evidence: verdict.evidence, created_at: 1, expires_at: 2 }
  const flow = { v: 1, vault_id: 'default', scope: 'personal', flow_id: 'f', flow_version: '1.0.0', title: 't' }
  const by = { evaluated_by: ANA_DECIDES.id, decided_by: ANA_DECIDES.id, proposer: 'ana' }
  const run = { v: 2, status: 'done', cursor: 0, timers: {}, created_at: 1, ended_at: 2 }
  const bases: [Table, string, object][] = [
    ['calls', call_id, { ...plain, call_id, approval_id, state: 'executed' }],
    ['approvals', approval_id, { ...asked, caller, state: 'consumed' }],
    ['runs', run_id, { ...run, run_id, kind: 'toolflow' }],
    // A run of the gate itself: only its owner says whose it is.
    [
      'runs',
      'run_0000000000000002',
      { ...run, run_id: 'run_0000000000000002', kind: 'held-call', owner: '["x","ana"]' },
    ],
    ['habits', AGENT.id, { v: 1, caller: AGENT.id }],
    ['labels', 'l1', { v: 1, label_id: 'l1', session: labelSession(AGENT, 't'), at: 1, kind: 'words' }],
    [
      'passkeys',
      'pk',
      { v: 1, passkey_id: 'pk', user: 'ana', public_key: 'x', counter: 0, transports: [], created_at: 1 },
    ],
    ['pushes', 'p', { v: 1, push_id: 'p', user: 'ana', caller: ANA_DECIDES.id, created_at: 1 }],
    [
      'flows',
      'run_0000000000000003',
      { ...flow, is: 'run', run_id: 'run_0000000000000003', status: 'done', executions: [] },
    ],
    ['flows', 'prop_1', { ...flow, is: 'proposal', proposal_id: 'prop_1', state: 'approved', ...by }],
  ]
  return bases.map(([table, id, base]) => {
    const isRun = 'is' in base && base.is === 'run'
    const fields = Object.entries(FATES[table]).filter(
      ([field, fate]) => fate === 'erased' && (table !== 'flows' || (field === 'history') === isRun),
    )
    const texts = Object.fromEntries(fields.map(([field]) => [field, PLANT[`${table}.${field}`] ?? PLANTED]))
    return { table, id, row: { ...base, ...texts } }
  })
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
  expect(new Set(rows.map(({ table }) => table))).toEqual(
    new Set(Object.keys(FATES).filter((table) => Object.values(FATES[table as Table]).includes('erased'))),
  )
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
  expect([...columns.keys()].toSorted()).toEqual([...Object.keys(FATES), ...Object.keys(OTHERS)].toSorted())
})
