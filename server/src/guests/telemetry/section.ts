import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { HeaderName, HttpUrl } from '../../kernel/contract/http-settings.ts'

const MetricsSettings = z.strictObject({
  open: z.boolean().default(false).describe('Lets anyone on this machine read them without a key.'),
})

const TelemetrySettings = z.strictObject({
  /** An OpenTelemetry collector; traces and metrics go to `/v1/traces` and `/v1/metrics` below the endpoint. */
  otlp: z
    .strictObject({
      endpoint: HttpUrl.describe('Its address; `/v1/traces` and `/v1/metrics` are added.'),
      headers: z
        .record(HeaderName, z.string().min(1))
        .default({})
        .describe('Headers for it. `env:NAME` and `file:PATH` refer to a secret.'),
    })
    .optional()
    .describe('The collector to send to.'),
})

declare module '../../kernel/contract/config.ts' {
  interface Config {
    metrics: z.infer<typeof MetricsSettings>
    telemetry: z.infer<typeof TelemetrySettings>
  }
}

export const section: ConfigSection = {
  top: {
    metrics: { rank: 980, schema: MetricsSettings.prefault({}).describe('Metrics for Prometheus at `/metrics`.') },
    telemetry: { rank: 990, schema: TelemetrySettings.prefault({}).describe('Traces and metrics for OpenTelemetry.') },
  },
}
