import type { GuestChecks } from '../../kernel/contract/doctor.ts'
import { openSerenity } from './open-serenity.ts'

export const checks: GuestChecks = {
  settings: ({ config, folder, env }) => openSerenity(config.serenity, folder, env, () => undefined),
  findings: ({ config }) =>
    config.serenity === undefined
      ? [{ severity: 'note', about: 'health', says: 'health checks are not configured (optional: `serenity`)' }]
      : [],
}
