import type { ServerReport } from '../../kernel/catalogue/server-report.ts'
import type { AuditReads, Tables } from '../../kernel/ports/reads.ts'
import type { Config } from '../../kernel/contract/config.ts'
import type { Ports } from '../../kernel/ports/guest-ports.ts'
import type { PrepareGuest } from '../../kernel/ports/prepare-guest.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { GaugeReading, GaugeReadings } from './instruments.ts'
import { measure } from './measure.ts'
import { openTelemetry, type OtlpTarget } from './open-telemetry.ts'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { trimmedEnd } from '../../kernel/contract/trimmed.ts'

/** Nothing is counted before somebody scrapes, unless a collector is configured. */
export const prepareTelemetry: PrepareGuest = ({ config, folder, version, clock, ids, log }) => {
  const otlp = otlpOf(config.telemetry, folder)
  if (!otlp.ok) return otlp
  let sources: Pick<Ports, 'tables' | 'audit' | 'serverReports'> | undefined
  const telemetry = openTelemetry({
    version,
    ...otlp.value,
    onFault: (endpoint) =>
      log('warn', 'the collector does not accept traces or metrics; they are dropped until it does', { endpoint }),
    readings: async () => (sources === undefined ? {} : readingsOf({ ...sources, servers: sources.serverReports })()),
  })
  return ok({
    ports: { metrics: { scrape: () => telemetry.scrape(), open: config.metrics.open } },
    observers: measure(telemetry, { clock, ids }),
    open(ports) {
      sources = ports
      // In the background.
      telemetry
        .begin()
        .catch((error: unknown) => log('error', 'telemetry cannot be sent to the collector', { error: String(error) }))
      return { close: () => telemetry.close() }
    },
  })
}

type Sources = {
  readonly tables: Tables
  readonly audit: AuditReads
  readonly servers: () => readonly ServerReport[]
}

const BREAKER: Readonly<Record<string, number>> = { closed: 0, half_open: 1, open: 2 }

/** The values of the gauges, read at each scrape. */
export function readingsOf({ tables, audit, servers }: Sources): GaugeReadings {
  return async () => {
    const reports = servers()
    const each = (value: (report: ServerReport) => unknown): readonly GaugeReading[] =>
      reports.map((report) => ({ value: Number(value(report) ?? 0), labels: { server: report.server } }))
    const heads = await audit.heads()
    return {
      approvals_pending: [{ value: await tables.count('approvals', { state: 'pending' }) }],
      runs_faulted: [{ value: await tables.count('runs', { status: 'faulted' }) }],
      audit_entries: [{ value: heads.reduce((sum, { seq }) => sum + seq, 0) }],
      active: each((report) => report['active']),
      queued: each((report) => report['queued']),
      breaker: each((report) => BREAKER[String(report['breaker'])]),
      up: each((report) => report.state === 'ready'),
      tools: each((report) => report.tools),
    }
  }
}

/** The collector with its secrets resolved. */
export function otlpOf({ otlp }: Config['telemetry'], folder: string): Result<{ readonly otlp?: OtlpTarget }> {
  if (otlp === undefined) return ok({})
  const headers: Record<string, string> = {}
  for (const [name, reference] of Object.entries(otlp.headers)) {
    const value = secretOf(reference, folder, process.env)
    if (value === undefined)
      return refuse('config.invalid', { paths: `telemetry.otlp.headers.${name}: the secret is missing` })
    headers[name] = value
  }
  return ok({ otlp: { endpoint: trimmedEnd(otlp.endpoint, '/'), headers } })
}
