import type { GuestChecks } from '../../kernel/contract/doctor.ts'
import { readPacks } from './read-packs.ts'

export const checks: GuestChecks = { settings: ({ config, folder }) => readPacks(config, folder) }
