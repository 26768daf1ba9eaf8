import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { randomIds } from '../../server/src/boot/random-ids.ts'
import { advanceFlowRun } from '../../server/src/commands/flows/advance-flow-run.ts'
import { swapFlow, type FlowDeps } from '../../server/src/commands/flows/flow-access.ts'
import { importFlow } from '../../server/src/commands/flows/import-flow.ts'
import { getFlowRun, listFlowRuns } from '../../server/src/commands/flows/read-flow-runs.ts'
import { startFlowRun } from '../../server/src/commands/flows/start-flow-run.ts'
import type { FlowRunRow } from '../../server/src/contract/flow-rows.ts'
import type { Json } from '../../server/src/contract/json.ts'
import type { Result } from '../../server/src/contract/problems.ts'
import { sha256Hex } from '../../server/src/keys/digest.ts'
import { openSqliteLedger } from '../../server/src/stores/sqlite/open-sqlite-ledger.ts'
import { quantile } from '../bench.ts'

/** Whether listing, reading and advancing a flow run costs more when there are many, by the gate's own commands on its own store. */

const OWNER = { kind: 'admin', id: 'admin:bench', user: 'bench' } as const
const FLOW = 'flow_bench'
const STEPS = 8
const PER_COMMIT = 1_000
const WARM_UP = 50
const ROUNDS = 200

const bundle = {
  flow: {
    flow_id: FLOW,
    title: 'Bench',
    version: '1.0.0',
    scope: 'project',
    steps: Array.from({ length: STEPS }, (_, at) => `${FLOW}#${at + 1}`),
  },
  steps: Array.from({ length: STEPS }, (_, at) => ({
    step_id: `${FLOW}#${at + 1}`,
    flow_id: FLOW,
    ordinal: at + 1,
    owned_job: `job ${at + 1}`,
    instruction: 'do it',
    verification: { kind: 'artifact_exists', evidence_required: false },
    automatable: 'manual',
  })),
}

type Store = { readonly deps: FlowDeps; readonly runs: readonly string[]; close(): Promise<void> }

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.problem))
  return result.value
}

/** One run that the commands started, and copies of it under ids of their own; a tenth of them is done. */
async function storeWith(folder: string, name: string, count: number): Promise<Store> {
  const store = must(
    await openSqliteLedger({
      file: join(folder, `${name}.sqlite`),
      stream: 'main',
      rows: { key: randomBytes(32).toString('hex'), sealed: false },
      onFault: console.error,
      alone: true,
    }),
  )
  const deps: FlowDeps = {
    ledger: store,
    tables: store,
    accounts: store,
    clock: Date.now,
    ids: randomIds,
    digest: sha256Hex,
    flowSettings: { grants: [], skill_packs: {}, evaluation: 'required' },
    flowPolicy: { env: { run_writes: '1' }, file: () => Promise.resolve('absent') },
    // Nothing that is measured has a text to search.
    judgement: {} as FlowDeps['judgement'],
  }
  must(await importFlow(deps, OWNER, bundle as unknown as Json))
  const { run } = must(await startFlowRun(deps, OWNER, { flow_id: FLOW }))
  const held = await store.row('flows', run.run_id)
  if (held?.row.is !== 'run') throw new Error('there is no run to copy')
  const pattern: FlowRunRow = held.row
  const runs: string[] = []
  while (runs.length < count) {
    const rows = Array.from({ length: Math.min(PER_COMMIT, count - runs.length) }, (_, at): FlowRunRow => {
      const status = at % 10 === 0 ? 'done' : 'in_progress'
      return { ...pattern, run_id: randomIds.run(), status }
    })
    const committed = await store.commit(rows.map((row) => swapFlow(row, row.run_id, 'absent')))
    if (committed !== 'committed') throw new Error('the runs could not be built')
    runs.push(...rows.map(({ run_id }) => run_id))
  }
  return { deps, runs: runs.filter((_, at) => at % 10 !== 0), close: () => store.close() }
}

const ACTS: Readonly<Record<string, (store: Store, round: number) => Promise<Result<unknown>>>> = {
  list: ({ deps }) => listFlowRuns(deps, OWNER, { flow_id: FLOW, status: 'in_progress', limit: 50 }),
  get: ({ deps, runs }, round) => getFlowRun(deps, OWNER, { run_id: runs[(round * 7) % runs.length] ?? '' }),
  advance: ({ deps, runs }, round) =>
    advanceFlowRun(deps, OWNER, {
      run_id: runs[runs.length - 1 - (round % runs.length)] ?? '',
      step_id: `${FLOW}#1`,
      status: round % 2 === 0 ? 'in_progress' : 'blocked',
    }),
}

export type FlowRunsRow = {
  readonly what: string
  readonly from: number
  readonly to: number
  readonly ratio: number
  readonly from_p50_ms: number
  readonly to_p50_ms: number
}

const round3 = (value: number): number => Math.round(value * 1000) / 1000

/** The two stores take turns, so that other load on the machine affects both. */
export async function growFlowRuns(folder: string, from: number, to: number): Promise<readonly FlowRunsRow[]> {
  const stores = [await storeWith(folder, 'few', from), await storeWith(folder, 'many', to)] as const
  const rows: FlowRunsRow[] = []
  for (const [name, act] of Object.entries(ACTS)) {
    const times: [number[], number[]] = [[], []]
    for (let turn = 0; turn < WARM_UP + ROUNDS; turn += 1) {
      for (const [index, store] of stores.entries()) {
        const begun = performance.now()
        must(await act(store, turn))
        if (turn >= WARM_UP) times[index as 0 | 1].push(performance.now() - begun)
      }
    }
    const [small, large] = times.map((all) =>
      quantile(
        all.toSorted((a, b) => a - b),
        0.5,
      ),
    )
    const [from_p50_ms, to_p50_ms] = [round3(small ?? 0), round3(large ?? 0)]
    const ratio = Math.round((to_p50_ms / from_p50_ms) * 100) / 100
    rows.push({ what: `flow runs, ${name}`, from, to, ratio, from_p50_ms, to_p50_ms })
  }
  for (const store of stores) await store.close()
  return rows
}
