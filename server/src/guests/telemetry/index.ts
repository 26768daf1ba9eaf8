import type { Metrics } from './endpoints.ts'
import type { Guest } from '../../kernel/registries.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    /** In the text format of Prometheus. */
    readonly metrics: Metrics
  }
}

export const telemetry: Guest = {
  name: 'telemetry',
  section: async () => (await import('./section.ts')).section,
  checks: async () => (await import('./checks.ts')).checks,
  prepare: async () => (await import('./open-metrics.ts')).prepareTelemetry,
  endpoints: async () => (await import('./endpoints.ts')).endpoints,
}
