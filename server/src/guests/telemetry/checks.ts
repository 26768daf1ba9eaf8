import type { GuestChecks } from '../../kernel/contract/doctor.ts'
import { otlpOf } from './open-metrics.ts'

export const checks: GuestChecks = { settings: ({ config, folder }) => otlpOf(config.telemetry, folder) }
