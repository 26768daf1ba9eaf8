import type { ExecutionId, FlowConsentId } from '../ids.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startChild } from '../../../../test/built/start-child.ts'
import { accountOf, swapFlow } from '../flow-access.ts'
import { importFlow } from '../import-flow.ts'
import { mintFlowConsent } from '../mint-flow-consent.ts'
import { startFlowRun } from '../start-flow-run.ts'
import type { FlowExecutionRecord } from '../flow-rows.ts'
import { freshSchema, hasPostgres, testDatabase } from '../../../../test/helpers/with-postgres.ts'
import { valueOf } from '../../toolflow/test/with-flows.suite.ts'
import type { RaceTally, RaceWork } from './consent-racer.suite.ts'
import { ANA, bundleOf, OWNER, PACK } from './flow-samples.suite.ts'
import { flowDeps, openEngine, type Engine } from './flow-deps.suite.ts'

const ROUNDS = 8

async function startRacer(engine: Engine, address: string, work: RaceWork) {
  const child = startChild(join(import.meta.dirname, 'consent-racer.suite.ts'), [engine, address, JSON.stringify(work)])
  expect(await child.line()).toBe('ready')
  return { go: () => child.say('go\n'), tally: async () => JSON.parse(await child.line()) as RaceTally }
}

/** Two processes race for the last unit of consents: as the same execution, and as two executions that each need one more. */
async function raceOn(engine: Engine, address: string): Promise<void> {
  const store = await openEngine(engine, address)
  const deps = flowDeps(store)
  const auto = { automatable: 'automatable', skills: [PACK], job: 'look', required: true } as const
  valueOf(await importFlow(deps, OWNER, bundleOf('flow_race', [auto, auto])))
  const fresh = async (cost_cap_units: number) => {
    const { run } = valueOf(await startFlowRun(deps, ANA, { flow_id: 'flow_race' }))
    const minted = await mintFlowConsent(
      deps,
      ANA,
      {
        run_id: run.run_id,
        allowed_lanes: ['local_default'],
        cost_cap_units,
      },
      {},
    )
    return { run_id: run.run_id, consent_id: valueOf(minted).consent.consent_id, step_id: 'flow_race#1' }
  }
  const runs = await Promise.all(Array.from({ length: ROUNDS }, () => fresh(1)))
  const reserves = [[], []] as [RaceWork['reserves'][number][], RaceWork['reserves'][number][]]
  for (let round = 0; round < ROUNDS; round += 1) {
    const { run_id, consent_id } = await fresh(3)
    const held = await store.row('flows', run_id)
    if (held?.row.is !== 'run') throw new Error('there is no run')
    const ids = ['a', 'b'].map((name): ExecutionId => `fexec_${name.repeat(23)}${(round % 16).toString(16)}`)
    const executions = ids.map((id) => recordOf(id, consent_id))
    // Each of the two has taken one unit. One unit is left, and each needs one more.
    const committed = await store.commit([
      swapFlow({ ...held.row, executions }, run_id, held.version),
      { kind: 'spend', account: accountOf(consent_id), units: 2 },
    ])
    expect(committed).toBe('committed')
    for (const [at, execution_id] of ids.entries())
      reserves[at === 0 ? 0 : 1].push({ flow_run_id: run_id, consent_id, execution_id })
  }
  const racers = await Promise.all(reserves.map((own) => startRacer(engine, address, { runs, reserves: own })))
  for (const { go } of racers) go()
  const [one, other] = await Promise.all(racers.map(({ tally }) => tally()))

  expect(one?.executions).toEqual(other?.executions)
  expect(new Set(one?.executions).size).toBe(ROUNDS)
  for (const { run_id, consent_id } of runs) {
    expect(await store.left(accountOf(consent_id))).toBe(0)
    const held = await store.row('flows', run_id)
    expect(held?.row.is === 'run' ? held.row.executions.map((record) => record.reserved_units) : []).toEqual([1])
  }
  for (const [round, { flow_run_id, consent_id }] of reserves[0].entries()) {
    expect(new Set([one?.reserved[round], other?.reserved[round]])).toEqual(new Set(['capped', 'reserved']))
    expect(await store.left(accountOf(consent_id))).toBe(0)
    const held = await store.row('flows', flow_run_id)
    const taken =
      held?.row.is === 'run' ? held.row.executions.reduce((sum, record) => sum + record.reserved_units, 0) : 0
    expect(taken).toBe(3)
  }
  await store.close()
}

const recordOf = (execution_id: ExecutionId, consent_id: FlowConsentId): FlowExecutionRecord => ({
  execution_id,
  step_id: 'flow_race#1',
  consent_id,
  driven_by: 'run_0000000000000000',
  status: 'running',
  evidence_ref: null,
  cost_units: 0,
  reserved_units: 1,
  reserved_for: 0,
  settled_for: 0,
  model_lane: 'local_default',
  by: 'agent:a',
  started_at: '',
  completed_at: null,
  reason: null,
})

describe('if two processes race for the last unit of a consent, one gets it, and the limit is never exceeded', () => {
  test('on SQLite', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-flow-race-'))
    try {
      await raceOn('sqlite', join(folder, 'ledger.db'))
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })

  test.skipIf(!hasPostgres)(
    'on Postgres',
    async () => {
      await raceOn('postgres', `${await testDatabase()} ${freshSchema()}`)
    },
    60_000,
  )
})
