import type { Resource } from '@opentelemetry/resources'
import { instrumentsOf, type Instruments, type GaugeReadings } from './instruments.ts'
import { spansOf, type Spans } from './spans.ts'

export type OtlpTarget = { readonly endpoint: string; readonly headers: Readonly<Record<string, string>> }

/** The active instruments. Spans only if there is a collector for them. */
export type Live = { readonly instruments: Instruments; readonly spans?: Spans }

export interface Telemetry {
  /** Undefined as long as nobody measures: then nothing is counted and nothing is loaded. */
  live(): Live | undefined
  /** The metrics in Prometheus' text format. The first scrape starts the counting. */
  scrape(): Promise<string>
  /** Starts without a scrape, if a collector is configured. */
  begin(): Promise<void>
  /** Sends what is left. */
  close(): Promise<void>
}

export type TelemetryOptions = {
  readonly version: string
  readonly readings: GaugeReadings
  readonly otlp?: OtlpTarget
  /** Called when the collector accepts nothing: immediately, then at most every ten minutes. */
  readonly onFault: (endpoint: string) => void
}

/** The time limit for one post, with all retries. It is also the longest that a stopping gate waits for it. */
const PATIENCE_MS = 3_000
const REPORT_AGAIN_MS = 600_000

type Started = Live & { readonly scrape: () => Promise<string>; readonly close: () => Promise<void> }

/** OpenTelemetry, loaded on first use: its SDK costs memory and start-up time, and many gates do not need it. */
export function openTelemetry(options: TelemetryOptions): Telemetry {
  let started: Started | undefined
  let starting: Promise<Started> | undefined
  const start = async () => {
    started = await startSdk(options)
    return started
  }
  const begun = () => (starting ??= start())
  return {
    live: () => started,
    scrape: async () => (await begun()).scrape(),
    async begin() {
      if (options.otlp !== undefined) await begun()
    },
    close: async () => (await starting)?.close(),
  }
}

async function startSdk({ version, readings, otlp, onFault }: TelemetryOptions): Promise<Started> {
  const { MeterProvider, PeriodicExportingMetricReader } = await import('@opentelemetry/sdk-metrics')
  const { PrometheusExporter, PrometheusSerializer } = await import('@opentelemetry/exporter-prometheus')
  const { resourceFromAttributes } = await import('@opentelemetry/resources')
  const resource = resourceFromAttributes({ 'service.name': 'sluice', 'service.version': version })
  if (otlp !== undefined) await onSdkFault(() => onFault(otlp.endpoint))
  const prometheus = new PrometheusExporter({ preventServerStart: true })
  const traces = otlp === undefined ? undefined : await tracesTo(otlp, resource, version)
  const readers = [
    prometheus,
    ...(otlp === undefined ? [] : [new PeriodicExportingMetricReader({ exporter: await metricsTo(otlp) })]),
  ]
  const meters = new MeterProvider({ resource, readers })
  const instruments = instrumentsOf(meters.getMeter('sluice', version), readings)
  const serializer = new PrometheusSerializer()
  return {
    instruments,
    ...(traces === undefined ? {} : { spans: traces.spans }),
    scrape: async () => serializer.serialize((await prometheus.collect()).resourceMetrics),
    async close() {
      // An unavailable collector must not prevent the gate from stopping, nor make it fail.
      await Promise.allSettled([meters.shutdown(), traces?.close()])
    },
  }
}

/** The SDK reports what could not be sent only through its log. */
async function onSdkFault(onFault: () => void): Promise<void> {
  const { diag, DiagLogLevel } = await import('@opentelemetry/api')
  let reportedAt = Number.NEGATIVE_INFINITY
  const error = () => {
    if (performance.now() - reportedAt < REPORT_AGAIN_MS) return
    reportedAt = performance.now()
    onFault()
  }
  const silent = () => {}
  const logger = { error, warn: silent, info: silent, debug: silent, verbose: silent }
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true })
}

async function metricsTo({ endpoint, headers }: OtlpTarget) {
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-http')
  return new OTLPMetricExporter({ url: `${endpoint}/v1/metrics`, headers: { ...headers }, timeoutMillis: PATIENCE_MS })
}

async function tracesTo({ endpoint, headers }: OtlpTarget, resource: Resource, version: string) {
  const { TracerProvider, BatchSpanProcessor } = await import('@opentelemetry/sdk-trace')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const url = `${endpoint}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: PATIENCE_MS })
  const provider = new TracerProvider({ resource, spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const spans = spansOf(await import('@opentelemetry/api'), provider.getTracer('sluice', version))
  return { spans, close: () => provider.shutdown() }
}
