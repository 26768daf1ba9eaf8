import { createHash } from 'node:crypto'
import { compilePolicy } from '../../server/src/kernel/policy/compile-policy.ts'
import { callFrom, type DescribedCall } from '../../server/src/kernel/policy/described-call.ts'
import { judgePolicy } from '../../server/src/kernel/policy/judge-policy.ts'
import { type Bench, columns, quantile } from '../bench.ts'
import { cedarDecider } from './cedar.ts'
import { type BenchRule, CALLS, policyFileOf, rulesFor } from './rules.ts'

type Row = { system: 'sluice' | 'cedar'; rules: number; us_p50: number; matching: number }
type Report = { bench: 'policy'; rows: Row[] }

const SIZES = [10, 100, 1000]
const ROUNDS = 41

/** How long a decision takes as the table grows, where one rule is about the called tool and where all are. */
export const bench: Bench<Report> = {
  needsPeers: true,
  async run() {
    const setups = SIZES.flatMap((rules) => [1, rules].map((matching) => ({ rules, matching })))
    return { bench: 'policy', rows: setups.flatMap(({ rules, matching }) => measure(rules, matching)) }
  },
  table({ rows }) {
    const lines = rows.map((row) => [row.system, row.rules, row.matching, row.us_p50.toFixed(2), ratio(row, rows)])
    return columns([['system', 'rules', 'matching', 'µs p50', '× sluice'], ...lines])
  },
}

function ratio(row: Row, rows: readonly Row[]): string {
  const ours = rows.find(
    ({ system, rules, matching }) => system === 'sluice' && rules === row.rules && matching === row.matching,
  )
  return ours === undefined ? '' : (row.us_p50 / ours.us_p50).toFixed(1)
}

/** Both systems take turns, so that a busy moment affects both. */
function measure(count: number, matching: number): Row[] {
  const rules = rulesFor(count, matching)
  const systems = [
    { system: 'sluice' as const, decide: sluiceDecider(rules), times: [] as number[] },
    { system: 'cedar' as const, decide: cedarDecider(rules), times: [] as number[] },
  ]
  for (const { system, decide } of systems) {
    const wrong = CALLS.find((call) => decide(call) !== 'allow')
    if (wrong !== undefined) throw new Error(`${system} does not allow ${wrong.caller}: the comparison would be void`)
  }
  const batches = systems.map(({ decide }) => batchSize(decide))
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, { decide, times }] of systems.entries()) times.push(timeOf(decide, batches[at] ?? 1))
  }
  return systems.map(({ system, times }) => {
    const sorted = times.sort((a, b) => a - b)
    return { system, rules: count, us_p50: Number(quantile(sorted, 0.5).toFixed(3)), matching }
  })
}

type Decide = (call: DescribedCall) => 'allow' | 'block'

function sluiceDecider(rules: readonly BenchRule[]): Decide {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex')
  const compiled = compilePolicy({ text: policyFileOf(rules), file: 'bench.yaml' }, { digest })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.faults[0]))
  const prepared = new Map(CALLS.map((call) => [call, callFrom(call)]))
  return (described) => {
    const { call, facts } = prepared.get(described) ?? callFrom(described)
    const opinions = judgePolicy(compiled.value, call, facts)
    return opinions.every(({ effect }) => effect === 'allow') ? 'allow' : 'block'
  }
}

/** Microseconds per decision over one batch. */
function timeOf(decide: Decide, batch: number): number {
  const start = performance.now()
  for (let done = 0; done < batch; done += 1) decide(CALLS[done % CALLS.length] as DescribedCall)
  return ((performance.now() - start) * 1000) / batch
}

/** Warms up, then chooses batches of about 10 ms. */
function batchSize(decide: Decide): number {
  const until = performance.now() + 300
  let size = 16
  while (performance.now() < until) {
    const each = timeOf(decide, size)
    size = Math.min(20_000, Math.max(16, Math.round(10_000 / each)))
  }
  return size
}
