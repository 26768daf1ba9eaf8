import type { Guest } from '../../kernel/registries.ts'

declare module '../../kernel/ports/guest-ports.ts' {
  interface GuestPorts {
    /** The metrics in the text format of Prometheus. */
    readonly metrics: { scrape(): Promise<string> }
  }
}

export const telemetry: Guest = {
  name: 'telemetry',
  section: async () => (await import('./section.ts')).section,
  checks: async () => (await import('./checks.ts')).checks,
  prepare: async () => (await import('./open-metrics.ts')).prepareTelemetry,
}
