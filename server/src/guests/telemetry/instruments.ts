import type { Attributes, Meter } from '@opentelemetry/api'

/** From a tenth of a millisecond, which a decision takes, to the minutes a person takes. */
const FAST = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const SLOW = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const PATIENT = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400, 86_400]

const COUNTERS = {
  calls: ['sluice_calls', 'calls by verdict'],
  outcomes: ['sluice_outcomes', 'calls that ended, by outcome'],
  decisions: ['sluice_approval_decisions', 'requests that were decided or ended otherwise, by state'],
  auth_failures: ['sluice_auth_failures', 'refused credentials, by code'],
  audited: ['sluice_audit_appended', 'entries appended to the audit by this process'],
} as const

const HISTOGRAMS = {
  decision: ['sluice_decision_seconds', 'from a call to its verdict', FAST],
  commit: ['sluice_commit_seconds', 'until a commit to the ledger is durable', FAST],
  upstream: ['sluice_upstream_seconds', 'duration of tool calls, by server and answer', SLOW],
  held: ['sluice_held_seconds', 'how long requests waited for people, by outcome', PATIENT],
} as const

export type Count = keyof typeof COUNTERS
export type TimeMetric = keyof typeof HISTOGRAMS

/** Current values at the time of a scrape. Labels are names from the configuration and our own words, never ids. */
export type GaugeReading = { readonly value: number; readonly labels?: Attributes }
export const GAUGES = {
  approvals_pending: ['sluice_approvals_pending', 'requests that wait for a person'],
  runs_faulted: ['sluice_runs_faulted', 'runs that failed repeatedly and wait for an admin'],
  audit_entries: ['sluice_audit_entries', 'entries in the audit'],
  active: ['sluice_upstream_active', 'calls in progress, by server'],
  queued: ['sluice_upstream_queued', 'calls that wait for a free slot, by server'],
  breaker: ['sluice_upstream_breaker', 'by server: 0 closed, 1 half open, 2 open'],
  up: ['sluice_upstream_up', 'by server: 1 when it is ready'],
  tools: ['sluice_tools', 'tools, by server'],
} as const
export type Gauge = keyof typeof GAUGES
export type GaugeReadings = () => Promise<Readonly<Partial<Record<Gauge, readonly GaugeReading[]>>>>

export type Instruments = {
  count(what: Count, by: number, labels?: Attributes): void
  time(what: TimeMetric, seconds: number, labels?: Attributes): void
}

/** Creates every instrument once; every reader of the meter, Prometheus or a collector, sees the same ones. */
export function instrumentsOf(meter: Meter, readings: GaugeReadings): Instruments {
  const counters = mapped(COUNTERS, ([name, description]) => meter.createCounter(name, { description }))
  const histograms = mapped(HISTOGRAMS, ([name, description, boundaries]) =>
    meter.createHistogram(name, { description, advice: { explicitBucketBoundaries: [...boundaries] } }),
  )
  const gauges = mapped(GAUGES, ([name, description]) => meter.createObservableGauge(name, { description }))
  meter.addBatchObservableCallback(async (result) => {
    const all = await readings()
    for (const what of Object.keys(GAUGES) as Gauge[])
      for (const { value, labels } of all[what] ?? []) result.observe(gauges[what], value, labels)
  }, Object.values(gauges))
  return {
    count: (what, by, labels) => counters[what].add(by, labels),
    time: (what, seconds, labels) => histograms[what].record(seconds, labels),
  }
}

function mapped<Key extends string, In, Out>(
  table: Readonly<Record<Key, In>>,
  make: (one: In) => Out,
): Record<Key, Out> {
  return Object.fromEntries(Object.entries<In>(table).map(([key, one]) => [key, make(one)])) as Record<Key, Out>
}
