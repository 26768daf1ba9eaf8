import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CallRow } from '../../server/src/kernel/contract/call.ts'
import type { Change, Ledger, Table } from '../../server/src/kernel/ports/ledger.ts'
import type { SqliteTuning } from '../../server/src/adapters/stores/sqlite/connect.ts'
import { openSqliteLedger } from '../../server/src/adapters/stores/sqlite/open-sqlite-ledger.ts'
import { columns, valuesOf, type Bench } from '../bench.ts'

/** How many intents per second become durable, what sharing the fsync brings, and what the MACs of the rows cost. */

const WITHOUT_MACS = new URL('worker-without-macs.ts', import.meta.url)
const MODES: {
  readonly [mode in 'group' | 'no_macs' | 'one_by_one' | 'not_durable']: {
    readonly tuning?: Partial<SqliteTuning>
    readonly script?: URL
  }
} = {
  group: {},
  no_macs: { script: WITHOUT_MACS },
  one_by_one: { tuning: { group: 1 } },
  not_durable: { tuning: { synchronous: 'OFF' } },
}
type Mode = keyof typeof MODES
const CONCURRENCY = [1, 4, 16, 64, 256] as const

type Row = { readonly mode: Mode; readonly concurrency: number; readonly commits_s: number; readonly cpu_us: number }
export type LedgerReport = { readonly bench: 'ledger'; readonly rows: readonly Row[] }

const HASH = 'ab'.repeat(32)
const opinion = (decider: string, at: number) => ({
  decider,
  effect: 'allow' as const,
  rule: `${decider}.default`,
  says: 'a tool that only reads is allowed',
  source: 'preset careful',
  at,
})

/** The start of a call expects the pauses, the tool and the key that it was judged with. */
const EXPECTED = [
  ['pauses', 'all'],
  ['pauses', 'caller:agent:planner'],
  ['pauses', 'tool:files__read_file'],
  ['pauses', 'server:files'],
  ['tools', 'files__read_file'],
  ['credentials', 'key_0000000000000000'],
] as const satisfies readonly (readonly [Table, string])[]
const expected = (): Change[] => EXPECTED.map(([table, id]) => ({ kind: 'expect', table, id, version: 'absent' }))

/** What the corridor records before it executes an allowed call. */
function intent(): Change[] {
  const now = Date.now()
  const call_id = `call_${randomBytes(12).toString('hex')}` as const
  const verdict = { effect: 'allow' as const, evidence: [opinion('policy', now), opinion('pauses', now)] }
  const row: CallRow = {
    v: 1,
    call_id,
    caller: { kind: 'agent', id: 'agent:planner', user: 'ada' },
    tool_id: 'files__read_file',
    server: 'files',
    definition_hash: HASH,
    canonical_args: '{"head":200,"path":"notes/2031/plan.md"}',
    args_hash: HASH,
    thread: `thread-${now % 50}`,
    trace: randomBytes(16).toString('hex'),
    received_at: now,
    state: 'executing',
    verdict,
    policy_version: HASH,
    idempotent: true,
    attempt: 1,
    boot: 'bench',
    started_at: now,
  }
  const subject = { call: call_id, tool: row.tool_id }
  return [
    ...expected(),
    { kind: 'swap', table: 'calls', id: call_id, from: 'absent', to: row },
    {
      kind: 'audit',
      entry: {
        at: now,
        type: 'call.started',
        actor: row.caller.id,
        trace: row.trace,
        subject,
        args_hash: HASH,
        verdict,
      },
    },
  ]
}

/** `cpu_us`: of all threads per commit. A busy machine changes it little, the commits per second much. */
async function speedOf(ledger: Ledger, concurrency: number, ms: number): Promise<Pick<Row, 'commits_s' | 'cpu_us'>> {
  let committed = 0
  let until = 0
  const client = async () => {
    while (performance.now() < until) {
      if ((await ledger.commit(intent())) !== 'committed') throw new Error('an intent was not committed')
      committed += 1
    }
  }
  const load = async (duration: number) => {
    committed = 0
    const start = performance.now()
    const began = process.cpuUsage()
    until = start + duration
    await Promise.all(Array.from({ length: concurrency }, client))
    const { user, system } = process.cpuUsage(began)
    const commits_s = Math.round((committed / (performance.now() - start)) * 1000)
    return { commits_s, cpu_us: Math.round((user + system) / committed) }
  }
  await load(ms / 5)
  return load(ms)
}

async function measure(mode: Mode, ms: number): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-ledger-'))
  const opened = await openSqliteLedger({
    file: join(folder, 'ledger.db'),
    stream: 'main',
    rows: { key: '5e'.repeat(32), sealed: false },
    onFault: (error) => console.error(error.message),
    ...MODES[mode],
  })
  if (!opened.ok) throw new Error(JSON.stringify(opened.problem))
  try {
    const rows: Row[] = []
    for (const concurrency of CONCURRENCY) {
      rows.push({ mode, concurrency, ...(await speedOf(opened.value, concurrency, ms)) })
    }
    return rows
  } finally {
    await opened.value.close()
    rmSync(folder, { recursive: true })
  }
}

export const bench: Bench<LedgerReport> = {
  async run(options) {
    const ms = Number(valuesOf(options, '--ms')[0] ?? 1000)
    const rows: Row[] = []
    for (const mode of Object.keys(MODES) as Mode[]) rows.push(...(await measure(mode, ms)))
    return { bench: 'ledger', rows }
  },

  table({ rows }) {
    const row = (mode: Mode, concurrency: number) =>
      rows.find((one) => one.mode === mode && one.concurrency === concurrency) ?? {
        commits_s: Number.NaN,
        cpu_us: Number.NaN,
      }
    const lines = CONCURRENCY.map((concurrency) => {
      const [group, bare, single, loose] = (['group', 'no_macs', 'one_by_one', 'not_durable'] as const).map(
        (mode) => row(mode, concurrency).commits_s,
      )
      const ratio = (part = Number.NaN, of = Number.NaN) => part / of
      const ratios = [`${ratio(group, single).toFixed(1)} x`, `${(ratio(group, loose) * 100).toFixed(0)} %`]
      const cpu = [row('group', concurrency).cpu_us, row('no_macs', concurrency).cpu_us]
      return [concurrency, group ?? '', bare ?? '', single ?? '', loose ?? '', ...ratios, ...cpu]
    })
    const head = [
      'concurrency',
      'group',
      'no_macs',
      'one_by_one',
      'not_durable',
      'group / one_by_one',
      'group / not_durable',
      'CPU µs group',
      'CPU µs no_macs',
    ]
    return `durable commits per second\n${columns([head, ...lines])}`
  },
}
