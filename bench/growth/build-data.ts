import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AuditDraft, AuditEntry } from '../../server/src/kernel/contract/audit.ts'
import type { CallRow } from '../../server/src/kernel/contract/call.ts'
import type { Change } from '../../server/src/kernel/ports/ledger.ts'
import type { Settings } from '../../server/src/main/load-config.ts'
import { createCredential } from '../../server/src/kernel/identity/credentials.ts'
import { openGate } from '../../server/src/main/open-gate.ts'
import { openRowKey } from '../../server/src/adapters/keys/row-key.ts'
import { openSqliteLedger } from '../../server/src/adapters/stores/sqlite/open-sqlite-ledger.ts'

const PER_COMMIT = 1_000
const AT_ONCE = 4
const START_TRIES = 60
const ADMIN = { kind: 'admin', id: 'admin:bench', user: 'bench' } as const
const AGENT = { kind: 'agent', id: 'agent:before', user: 'ana' } as const

/** Makes the calls through a gate and closes it: what real calls leave behind. Returns an agent's key. */
export async function withCalls(settings: Settings, count: number, tool: string): Promise<string> {
  const opened = await openGate(settings, { log: () => {}, url: () => 'http://bench' })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  await opened.value.settled
  const { dispatch } = opened.value
  let next = 0
  const client = async () => {
    while (next < count) {
      const number = next
      next += 1
      const call = { caller: AGENT, tool, args: { text: `waits ${number}` }, thread: `t${number % 500}` }
      let answer = await dispatch(call)
      // A tool server with 10,000 tools on a busy machine is listed later than the gate waits for it.
      for (let tries = 0; answer.status === 'refused' && tries < START_TRIES; tries += 1) {
        if (answer.problem.code !== 'tool.unavailable') break
        await sleep(1_000)
        answer = await dispatch(call)
      }
      const { status } = answer
      if (status !== 'pending' && status !== 'executed') throw new Error(`a call of the bench was ${status}`)
    }
  }
  await Promise.all(Array.from({ length: 64 }, client))
  const made = await createCredential(opened.value.ports, ADMIN, { kind: 'agent', name: 'bench' }, {})
  await opened.value.close()
  if (!made.ok) throw new Error(JSON.stringify(made.problem))
  return made.value.key
}

/** The ledger of a data folder whose gate is closed, opened to be filled fast: a crash would lose what was not yet written. */
export async function openLedgerOf(data: string) {
  const rows = openRowKey(join(data, 'keys'), true)
  if (!rows.ok) throw new Error(JSON.stringify(rows.problem))
  const { key, sealed } = rows.value
  const opened = await openSqliteLedger({
    file: join(data, 'ledger.sqlite'),
    stream: 'main',
    rows: { key, sealed },
    onFault: console.error,
    alone: true,
    tuning: { synchronous: 'OFF' },
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  return opened.value
}

/**
 * Extends the audit to this many entries through the ledger itself, many per commit: copies of what one real call left
 * behind, its row and its entries, each with its own ids, thread and arguments.
 */
export async function withEntries(data: string, entries: number): Promise<number> {
  const store = await openLedgerOf(data)
  const [pattern] = await store.list('calls', {}, { limit: 1, newest_first: true })
  const [head] = await store.heads()
  if (pattern === undefined || head === undefined) throw new Error('there is no call to copy')
  const drafts = (await store.entries('main', 1, head.seq)).filter(
    ({ subject }) => subject['call'] === pattern.row.call_id,
  ) as readonly (AuditDraft & AuditEntry)[]
  let written = head.seq
  const client = async () => {
    while (written < entries) {
      const copies = Math.min(PER_COMMIT, Math.ceil((entries - written) / drafts.length))
      written += copies * drafts.length
      const changes = Array.from({ length: copies }, () => copyOf(pattern.row, drafts)).flat()
      if ((await store.commit(changes)) !== 'committed') throw new Error('the ledger could not be built')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, client))
  const [after] = await store.heads()
  await store.close()
  return after?.seq ?? 0
}

let copies = 0
function copyOf(row: CallRow, entries: readonly (AuditDraft & { readonly seq: number })[]): Change[] {
  // As real ids, they begin with the time: an index of them grows at its end.
  copies += 1
  const call_id =
    `call_${(Date.now() * 4096 + (copies % 4096)).toString(16).padStart(14, '0')}${randomBytes(5).toString('hex')}` as const
  const args_hash = randomBytes(32).toString('hex')
  const thread = `t${randomBytes(2).readUInt16LE() % 5_000}`
  const to: CallRow = { ...row, call_id, args_hash, thread, identity: `${thread} ${row.tool_id} ${args_hash}` }
  return [
    { kind: 'swap', table: 'calls', id: call_id, from: 'absent', to },
    ...entries.map(({ at, type, actor, trace, subject, verdict, outcome, about }): Change => {
      const rest = { ...(verdict && { verdict }), ...(outcome && { outcome }), ...(about && { about }) }
      const entry: AuditDraft = {
        at,
        type,
        actor,
        trace,
        subject: { ...subject, call: call_id, thread },
        args_hash,
        ...rest,
      }
      return { kind: 'audit', entry }
    }),
  ]
}
