import { once } from 'node:events'
import { executeFlowStep } from '../execute-flow-step.ts'
import { reserveUnits } from '../reserve-units.ts'
import { HER_AGENT } from './flow-samples.suite.ts'
import { flowDeps, openEngine, type Engine } from './flow-deps.suite.ts'

/** One of two processes on one store: posts the same executions, then reserves a unit for its own execution of every run. */
export type RaceWork = {
  readonly runs: readonly { readonly run_id: string; readonly consent_id: string; readonly step_id: string }[]
  readonly reserves: readonly {
    readonly flow_run_id: string
    readonly consent_id: string
    readonly execution_id: string
  }[]
}
export type RaceTally = { readonly executions: readonly string[]; readonly reserved: readonly string[] }

const [engine = '', address = '', work = ''] = process.argv.slice(2)
const { runs, reserves } = JSON.parse(work) as RaceWork
const store = await openEngine(engine as Engine, address)
const deps = flowDeps(store)
process.stdout.write('ready\n')
await once(process.stdin, 'data')
const executions = await Promise.all(
  runs.map(async (run) => {
    const begun = await executeFlowStep(deps, HER_AGENT, run, { wait_ms: 0 })
    return begun.ok ? begun.value.execution.execution_id : begun.problem.code
  }),
)
const reserved = await Promise.all(
  reserves.map((one) => reserveUnits(deps, one as Parameters<typeof reserveUnits>[1], 1, 2)),
)
process.stdout.write(`${JSON.stringify({ executions, reserved } satisfies RaceTally)}\n`)
await store.close()
process.exit(0)
