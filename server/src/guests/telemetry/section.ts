import { z } from 'zod'
import type { ConfigSection } from '../../kernel/contract/config.ts'
import { HeaderName, HttpUrl } from '../../kernel/contract/http-settings.ts'

const MetricsSettings = z.strictObject({
  /** Lets anybody on this machine read `/metrics` without a key. */
  open: z.boolean().default(false),
})

const TelemetrySettings = z.strictObject({
  /** An OpenTelemetry collector; traces and metrics go to `/v1/traces` and `/v1/metrics` below the endpoint. */
  otlp: z
    .strictObject({
      endpoint: HttpUrl,
      /** `env:NAME` and `file:PATH` refer to a secret. */
      headers: z.record(HeaderName, z.string().min(1)).default({}),
    })
    .optional(),
})

declare module '../../kernel/contract/config.ts' {
  interface Config {
    metrics: z.infer<typeof MetricsSettings>
    telemetry: z.infer<typeof TelemetrySettings>
  }
}

export const section: ConfigSection = {
  top: {
    metrics: { rank: 980, schema: MetricsSettings.prefault({}) },
    telemetry: { rank: 990, schema: TelemetrySettings.prefault({}) },
  },
}
