import type { GuestChecks } from '../../kernel/contract/doctor.ts'
import { rankerFor } from './open-ranker.ts'

export const checks: GuestChecks = { settings: ({ config, folder }) => rankerFor(config, folder) }
