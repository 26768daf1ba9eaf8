import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { listCalls } from '../../server/src/guests/activity/endpoints.ts'
import { loadConfig } from '../../server/src/main/load-config.ts'
import { openGate } from '../../server/src/main/open-gate.ts'
import type { CallFilter } from '../../server/src/kernel/contract/activity.ts'
import type { CallRow } from '../../server/src/kernel/contract/call.ts'
import { openLedgerOf, withCalls } from './build-data.ts'
import { takeTurns, type GrowthRow } from './take-turns.ts'

/** Whether a page of the activity costs more when many calls are recorded: each filter, by the gate's own command on its own store. */

const ADMIN = { kind: 'admin', id: 'admin:bench', user: 'bench' } as const
const PER_COMMIT = 1_000
const PAGE = 50
const WARM_UP = 10
const ROUNDS = 40
const SECOND = 1_000
const BEGUN = Date.UTC(2026, 0, 1)

async function build(folder: string, count: number) {
  mkdirSync(folder)
  const many = { command: 'node', args: [join(import.meta.dirname, 'many-tools.ts'), '10'] }
  const policy = { rules: [{ id: 'all', effect: 'allow', match: { tool: 'many__echo' }, says: 'allowed' }] }
  writeFileSync(join(folder, 'sluice.yaml'), JSON.stringify({ listen: { port: 0 }, servers: { many }, policy }))
  const loaded = loadConfig(join(folder, 'sluice.yaml'), true)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problem))
  await withCalls(loaded.value, 1, 'many__echo')
  const store = await openLedgerOf(loaded.value.data)
  const [pattern] = await store.list('calls', {}, { limit: 1, newest_first: true })
  if (pattern === undefined) throw new Error('there is no call to copy')
  for (let made = 0; made < count; made += PER_COMMIT) {
    const rows = Array.from({ length: Math.min(PER_COMMIT, count - made) }, (_, at) => copyOf(pattern.row, made + at))
    const changes = rows.map((to) => ({ kind: 'swap', table: 'calls', id: to.call_id, from: 'absent', to }) as const)
    if ((await store.commit(changes)) !== 'committed') throw new Error('the calls could not be built')
  }
  await store.close()
  const opened = await openGate(loaded.value, { log: () => {}, url: () => 'http://bench' })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  await opened.value.settled
  return opened.value
}

/** One call a second, of 20 tools and 50 callers; one in a hundred failed and one in a thousand names an invoice. */
function copyOf(row: CallRow, at: number): CallRow {
  const args_hash = randomBytes(32).toString('hex')
  const thread = `t${at % 5_000}`
  const tool_id = `many__tool_${at % 20}`
  const canonical_args = at % 1_000 === 0 ? `{"text":"invoice-${at}"}` : `{"text":"call ${at}"}`
  return {
    ...row,
    call_id: `call_${(BEGUN * 4096 + at).toString(16).padStart(14, '0')}${randomBytes(5).toString('hex')}`,
    args_hash,
    canonical_args,
    thread,
    tool_id,
    identity: `${thread} ${tool_id} ${args_hash}`,
    caller: { ...row.caller, id: `agent:a${at % 50}` },
    received_at: BEGUN + at * SECOND,
    ...(at % 100 === 7 ? { state: 'failed', problem: { code: 'tool.failed', about: {} } } : {}),
  }
}

/**
 * What the activity page asks for. A filter of several fields looks at no more than 5,000 rows of one index a page: few calls stay below
 * that, many reach it, and it grows no further. `middle` is a time with as many calls before it as after.
 */
const FILTERS: Readonly<Record<string, (middle: number) => CallFilter>> = {
  'no filter': () => ({}),
  state: () => ({ state: 'failed' }),
  tool: () => ({ tool: 'many__tool_7' }),
  caller: () => ({ caller: 'agent:a7' }),
  time: (middle) => ({ since: middle, until: middle + 3_600 * SECOND }),
  'state, tool and caller': () => ({ state: 'failed', tool: 'many__tool_7', caller: 'agent:a7' }),
  'a word that many have': () => ({ words: 'call' }),
  'words that few have': () => ({ words: 'invoice-0' }),
  'nothing that fits': () => ({ tool: 'many__no_such_tool' }),
}

export async function growActivity(folder: string, from: number, to: number): Promise<readonly GrowthRow[]> {
  const [few, many] = [await build(join(folder, 'few-calls'), from), await build(join(folder, 'many-calls'), to)]
  const rows: GrowthRow[] = []
  for (const [name, filterOf] of Object.entries(FILTERS))
    rows.push(
      await takeTurns({
        what: `activity, ${name}`,
        from,
        to,
        few,
        many,
        warm_up: WARM_UP,
        rounds: ROUNDS,
        act: ({ ports }, _, size) => listCalls(ports, ADMIN, filterOf(BEGUN + (size / 2) * SECOND), { limit: PAGE }),
      }),
    )
  for (const opened of [few, many]) await opened.close()
  return rows
}
