import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { backUpData } from '../../src/main/backup.ts'
import { openSealedStore } from '../../src/main/open-sealed-store.ts'
import { restoreData } from '../../src/main/restore.ts'
import { LISTED_BY, type Change, type Rows, type Table } from '../../src/kernel/ports/ledger.ts'
import { tableEntries } from '../../src/main/guest-parts.ts'
import { everyRow } from '../../src/kernel/changes/every-row.ts'
import { ROWS_OF_GUESTS, type AfterRestore } from '../stored-rows.ts'
import { RUN_KINDS } from '../run-kinds.ts'
import { isEndedRun, type RunRow } from '../../src/kernel/contract/run.ts'
import { LOCAL_OWNER } from '../../src/kernel/contract/caller.ts'
import { LAUNCHER } from '../built/built.ts'
import { configure, run, runGate, startGate, trustConfig, type RunningGate } from '../helpers/with-running-gate.ts'
import { effectsIn } from '../helpers/with-gate.ts'
import type { Store } from '../../src/adapters/stores/open-store.ts'

// Gates and restores are separate processes.
vi.setConfig({ testTimeout: 120_000 })

const elsewhere = mkdtempSync(join(tmpdir(), 'sluice-restored-'))
afterAll(() => rmSync(elsewhere, { recursive: true, force: true }))

const inFolder = (folder: string) => ({ config: join(folder, 'sluice.yaml') })
const dataOf = (folder: string) => join(folder, '.sluice')

async function withStore<T>(data: string, use: (store: Store) => Promise<T>): Promise<T> {
  const opened = await openSealedStore({ folder: data, stream: 'main', onFault: () => {}, onRejected: () => {} })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  try {
    return await use(opened.value)
  } finally {
    await opened.value.close()
  }
}

async function rowsOf<T extends Table>({ tables }: Pick<Store, 'tables'>, table: T): Promise<Rows[T][]> {
  const rows: Rows[T][] = []
  for await (const { row } of everyRow(tables, table)) rows.push(row)
  return rows
}

async function stopped(gate: RunningGate): Promise<void> {
  gate.process.kill('SIGTERM')
  await once(gate.process, 'exit')
}

describe('after a restore', () => {
  let gate: Awaited<ReturnType<typeof startGate>>
  const file = join(elsewhere, 'all.backup')
  const key = { agent: '', once: '', revoked: '', approver: '' }
  let held: Record<string, unknown> = {}
  const note = (text: string) => ({ tool: 'book__note', args: { text } })
  /** A call that its caller may repeat. */
  const keyed = async ({ url }: RunningGate) => {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${key.agent}`,
      'idempotency-key': 'k-1',
    }
    const answer = await fetch(`${url}/v1/calls`, { method: 'POST', headers, body: JSON.stringify(note('repeated')) })
    return (await answer.json()) as Record<string, unknown>
  }

  beforeAll(async () => {
    gate = await startGate()
    key.agent = await gate.key('agent', 'writer', 'ana')
    key.revoked = await gate.key('admin', 'former')
    key.approver = await gate.key('approver', 'ben')
    key.once = (await gate.cli('keys', 'create', 'agent', 'once', '--user', 'ana', '--calls', '1')).out.trim()
    held = (await gate.http('POST', '/v1/calls', key.agent, note('held'))).body
    expect(held).toMatchObject({ status: 'pending' })
    const consent = {
      actor: 'caller:agent:writer',
      what: { tool: 'book__fails', args: [] },
      calls: 5,
      expires_in_s: 86_400,
    }
    expect((await gate.http('POST', '/v1/consents', key.approver, consent)).status).toBe(201)
    expect(await gate.cli('backup', file)).toMatchObject({ code: 0 })
    // What the backup does not know.
    await gate.approve(held['approval_id'], key.approver)
    await gate.http('GET', `/v1/calls/${String(held['call_id'])}?wait_ms=60000`, key.agent)
    const listed = (await gate.cli('keys', 'list')).out.split('\n')
    const former = listed.find((line) => line.includes('admin:former'))?.split(' ')[0] ?? ''
    expect(await gate.cli('keys', 'revoke', former)).toMatchObject({ code: 0 })
    const spent = await gate.http('POST', '/v1/calls', key.once, { tool: 'book__look', args: {} })
    expect(spent.body).toMatchObject({ status: 'executed' })
    const second = await keyed(gate)
    await gate.approve(second['approval_id'], key.approver)
    await gate.http('GET', `/v1/calls/${String(second['call_id'])}?wait_ms=60000`, key.agent)
    expect(effectsIn(gate.folder)).toHaveLength(2)
    const admin = readFileSync(join(dataOf(gate.folder), 'admin.key'), 'utf8')
    expect((await gate.http('GET', '/v1/keys', admin.trim())).status).toBe(200)
    await stopped(gate)
    renameSync(dataOf(gate.folder), `${dataOf(gate.folder)}.old`)
  })
  afterAll(() => gate.stop())

  test('nothing that waited or was granted works, and the folder that was replaced says what was revoked and done', async () => {
    const restored = await run(gate.folder, ['restore', file])
    expect(restored, restored.err).toMatchObject({ code: 0 })
    expect(restored.out).toMatch(
      /1 request for approval, 1 consent, \d+ runs?, 0 logins|0 requests for approval, 1 consent/,
    )
    expect(restored.out).toMatch(/\.sluice\.old: \d+ newer rows taken/)
    expect(restored.out).toContain('agent:writer of ana')
    expect(restored.out).not.toContain('admin:former')
    const again = await runGate(gate.folder)
    try {
      expect((await again.http('GET', '/v1/keys', key.revoked)).status).toBe(401)
      const old = readFileSync(join(`${dataOf(gate.folder)}.old`, 'admin.key'), 'utf8').trim()
      expect((await again.http('GET', '/v1/keys', old)).status).toBe(401)
      expect((await again.approve(held['approval_id'], key.approver)).status).toBeGreaterThanOrEqual(400)
      const call = await again.http('GET', `/v1/calls/${String(held['call_id'])}`, key.agent)
      expect(call.body).toMatchObject({ status: 'executed' })
      expect(await keyed(again)).toMatchObject({ status: 'executed' })
      const spent = await again.http('POST', '/v1/calls', key.once, { tool: 'book__look', args: {} })
      expect(spent.body['status']).not.toBe('executed')
      const { body: consents } = await again.http('GET', '/v1/consents', key.approver)
      expect(JSON.stringify(consents)).toContain('"state":"revoked"')
      expect(JSON.stringify(consents)).not.toContain('"state":"active"')
      expect(effectsIn(gate.folder)).toHaveLength(2)
      expect((await again.cli('audit', 'verify')).code).toBe(0)
      const { out } = await again.cli('audit', 'export', '--format', 'csv')
      expect(out).toContain('ledger.restored')
      expect(out).toContain('row.taken_over')
    } finally {
      await stopped(again)
    }
  })

  test('without that folder, what waited is withdrawn, and every key is listed', async () => {
    const folder = join(elsewhere, 'alone')
    mkdirSync(folder)
    configure(folder)
    const restored = await run(folder, ['restore', file])
    expect(restored, restored.err).toMatchObject({ code: 0 })
    expect(restored.out).toContain('1 request for approval, 1 consent')
    expect(restored.out).toMatch(/key_\w+ {2}admin:former of former/)
    const alone = await runGate(folder)
    try {
      const decided = await alone.approve(held['approval_id'], key.approver)
      expect(decided).toMatchObject({ status: 410, body: { code: 'approval.withdrawn' } })
      const call = await alone.http('GET', `/v1/calls/${String(held['call_id'])}`, key.agent)
      expect(call.body).toMatchObject({ code: 'approval.withdrawn' })
      expect(effectsIn(folder)).toEqual([])
    } finally {
      await alone.stop()
    }
  })
})

/** What a restore does with the rows of each table of the kernel. A new table has to be thought about. */
const TABLES: Readonly<Record<keyof typeof LISTED_BY, AfterRestore>> = {
  calls: 'ended',
  approvals: 'ended',
  consents: 'ended',
  runs: 'ended',
  logins: 'ended',
  credentials: 'listed',
  tools: 'grants nothing',
  servers: 'grants nothing',
  pauses: 'grants nothing',
  checkpoints: 'grants nothing',
  passphrases: 'grants nothing',
  passkeys: 'grants nothing',
  sessions: 'grants nothing',
  labels: 'grants nothing',
}

/** A row of each table and in each state that something could be carried on from. */
async function fill(store: Store): Promise<void> {
  const [call] = await rowsOf(store, 'calls')
  const [approval] = await rowsOf(store, 'approvals')
  const [heldRun] = await rowsOf(store, 'runs')
  if (call === undefined || approval === undefined || heldRun === undefined) throw new Error('a call is held')
  const later = Date.now() + 86_400_000
  const changes: Change[] = []
  const add = <T extends Table>(table: T, id: string, to: Rows[T]) =>
    changes.push({ kind: 'swap', table, id, from: 'absent', to } as Change)
  const copied = (nth: number) => ({
    call_id: `call_${String(nth).padStart(16, '0')}` as const,
    approval_id: `auth_${String(nth).padStart(16, '0')}` as const,
    run_id: `run_${String(nth).padStart(16, '0')}` as const,
  })
  let nth = 0
  // An approval that nobody has used: the gate was killed before its driver did.
  const approved = copied((nth += 1))
  add('calls', approved.call_id, { ...call, ...approved })
  add('approvals', approved.approval_id, { ...approval, ...approved, state: 'approved' })
  const { approval_id: _, held_until: _1, ...plain } = call
  for (const idempotent of [true, false]) {
    const { call_id, run_id } = copied((nth += 1))
    add('calls', call_id, { ...plain, call_id, run_id, state: 'executing', idempotent, attempt: 1, boot: 'gone' })
  }
  const retried = copied((nth += 1))
  const settled = { by: 'admin:a', as: 'retry' as const, at: Date.now() }
  add('calls', retried.call_id, {
    ...plain,
    call_id: retried.call_id,
    run_id: retried.run_id,
    state: 'unknown',
    settled,
  })
  for (const kind of RUN_KINDS.keys()) {
    for (const status of ['active', 'waiting', 'faulted'] as const) {
      const { run_id } = copied((nth += 1))
      const state =
        kind === 'workflow-schedules' ? { document: 'd', version: 1, gateways: [], since: 0, fired: {} } : {}
      const row: RunRow = { ...heldRun, run_id, kind, status, state, timers: { due: 1 }, driver: 'gone' }
      add('runs', run_id, row)
      changes.push({ kind: 'wake', run: run_id })
    }
  }
  const caller = { kind: 'user' as const, id: 'user:ana', user: 'ana' }
  const times = { created_at: 1, seen_at: Date.now(), expires_at: later }
  const login_id = 'a'.repeat(64)
  add('logins', login_id, { v: 1, login_id, caller, user: 'ana', how: 'key', ...times })
  for (const { open } of ROWS_OF_GUESTS) if (open !== undefined) changes.push(open.add())
  const committed = await store.ledger.commit(changes)
  if (committed !== 'committed') throw new Error(JSON.stringify(committed))
}

test('no row of any table can be carried on, and a gate that starts on it executes nothing', async () => {
  const gate = await startGate()
  const agent = await gate.key('agent', 'writer', 'ana')
  await gate.http('POST', '/v1/calls', agent, { tool: 'book__note', args: { text: 'held' } })
  await stopped(gate)
  await withStore(dataOf(gate.folder), fill)
  const file = join(elsewhere, 'filled.backup')
  expect(await backUpData(inFolder(gate.folder), file)).toMatchObject({ ok: true })
  const folder = join(elsewhere, 'filled')
  mkdirSync(folder)
  configure(folder)
  const restored = await restoreData(inFolder(folder), file)
  const consents = ROWS_OF_GUESTS.filter(({ open }) => open?.isConsent === true).length
  expect(restored).toMatchObject({ ok: true, value: { ended: { withdrawn: 2, unknown: 3, consents, logins: 1 } } })
  const check = async (store: Store) => {
    const open: Rows[Table][] = [
      ...(await rowsOf(store, 'calls')).filter(({ state }) => ['pending', 'executing'].includes(state)),
      ...(await rowsOf(store, 'calls')).filter(({ state, settled }) => state === 'unknown' && settled !== undefined),
      ...(await rowsOf(store, 'approvals')).filter(({ state }) => ['pending', 'approved'].includes(state)),
      ...(await rowsOf(store, 'consents')).filter(({ revoked_at }) => revoked_at === undefined),
      ...(await rowsOf(store, 'logins')).filter(({ ended_at }) => ended_at === undefined),
      ...(await rowsOf(store, 'runs')).filter((row) => !isEndedRun(row) && row.kind !== 'workflow-schedules'),
    ]
    for (const { table, open: kind } of ROWS_OF_GUESTS)
      if (kind !== undefined) open.push(...(await rowsOf(store, table)).filter(kind.isOpen))
    expect(open).toEqual([])
    const owners = (await rowsOf(store, 'credentials')).filter(({ caller }) => caller.id === LOCAL_OWNER.id)
    expect(owners.filter(({ revoked_at }) => revoked_at === undefined)).toHaveLength(1)
  }
  await withStore(dataOf(folder), check)
  const thoughtOf = [...Object.keys(TABLES), ...ROWS_OF_GUESTS.map(({ table }) => table)]
  const declared = [...Object.keys(LISTED_BY), ...(await tableEntries()).map(({ table }) => table)]
  expect(thoughtOf.toSorted()).toEqual(declared.toSorted())
  for (const { afterRestore, open } of ROWS_OF_GUESTS) expect(open !== undefined).toBe(afterRestore === 'ended')
  const again = await runGate(folder)
  expect((await again.cli('audit', 'verify')).code).toBe(0)
  await stopped(again)
  await withStore(dataOf(folder), check)
  expect(effectsIn(folder)).toEqual([])
  rmSync(folder, { recursive: true })
  rmSync(gate.folder, { recursive: true })
})

/** Files whose appearance is a point of a restore. */
const POINTS = ['ledger.sqlite', 'keys', 'replaced.backup', 'replaced', 'admin.key'] as const

test('a restore that is killed leaves the old state or the new one, and the next one works', async () => {
  const gate = await startGate()
  const file = join(elsewhere, 'killed.backup')
  expect(await gate.cli('backup', file)).toMatchObject({ code: 0 })
  await stopped(gate)
  const { folder } = gate
  trustConfig(folder)
  renameSync(dataOf(folder), `${dataOf(folder)}.old`)
  const complete = await withStore(`${dataOf(folder)}.old`, async ({ tables }) => tables.count('credentials', {}))
  for (const point of [...POINTS, 'end'] as const) {
    const child = spawn(process.execPath, [LAUNCHER, 'restore', file], { cwd: folder, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const part = join(folder, `.sluice.${child.pid}.part`)
    const isThere = () => existsSync(point === 'end' ? dataOf(folder) : join(part, point))
    while (!isThere() && child.exitCode === null) await Promise.race([sleep(1), ended])
    child.kill('SIGKILL')
    await ended
    if (!existsSync(dataOf(folder))) continue
    const credentials = await withStore(dataOf(folder), async ({ tables }) => tables.count('credentials', {}))
    // All of those in the backup, and the owner's new key.
    expect(credentials, point).toBe(complete + 1)
    rmSync(dataOf(folder), { recursive: true })
  }
  const last = await run(folder, ['restore', file])
  expect(last, last.err).toMatchObject({ code: 0 })
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
  const again = await runGate(folder)
  expect((await again.cli('audit', 'verify')).code).toBe(0)
  await again.stop()
})
