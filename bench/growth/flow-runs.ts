import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { randomIds } from '../../server/src/main/random-ids.ts'
import { advanceFlowRun } from '../../server/src/guests/flows/advance-flow-run.ts'
import { swapFlow, type FlowPorts } from '../../server/src/guests/flows/flow-access.ts'
import { importFlow } from '../../server/src/guests/flows/import-flow.ts'
import { getFlowRun, listFlowRuns } from '../../server/src/guests/flows/read-flow-runs.ts'
import { startFlowRun } from '../../server/src/guests/flows/start-flow-run.ts'
import type { FlowRunRow } from '../../server/src/guests/flows/flow-rows.ts'
import type { Json } from '../../server/src/kernel/contract/json.ts'
import type { Result } from '../../server/src/kernel/contract/problems.ts'
import { sha256Hex } from '../../server/src/adapters/keys/digest.ts'
import { openSqliteLedger } from '../../server/src/adapters/stores/sqlite/open-sqlite-ledger.ts'
import { takeTurns, type GrowthRow } from './take-turns.ts'

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

type Store = { readonly deps: FlowPorts; readonly runs: readonly string[]; close(): Promise<void> }

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
  const deps: FlowPorts = {
    ledger: store,
    tables: store,
    accounts: store,
    clock: Date.now,
    ids: randomIds,
    digest: sha256Hex,
    flowSettings: { grants: [], skill_packs: {}, evaluation: 'required' },
    flowPolicy: { env: { run_writes: '1' }, file: () => Promise.resolve('absent') },
    // Nothing that is measured has a text to search.
    judgement: {} as FlowPorts['judgement'],
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

export async function growFlowRuns(folder: string, from: number, to: number): Promise<readonly GrowthRow[]> {
  const [few, many] = [await storeWith(folder, 'few', from), await storeWith(folder, 'many', to)]
  const rows: GrowthRow[] = []
  for (const [name, act] of Object.entries(ACTS))
    rows.push(
      await takeTurns({
        what: `flow runs, ${name}`,
        from,
        to,
        few,
        many,
        warm_up: WARM_UP,
        rounds: ROUNDS,
        act: async (store, round) => must(await act(store, round)),
      }),
    )
  for (const store of [few, many]) await store.close()
  return rows
}
