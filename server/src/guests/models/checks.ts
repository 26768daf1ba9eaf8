import type { GuestChecks } from '../../kernel/contract/doctor.ts'
import { ok } from '../../kernel/contract/problems.ts'
import { openArgumentModel } from './argument-model.ts'

export const checks: GuestChecks = {
  settings: ({ config: { models }, folder }) =>
    models.toolflow === undefined ? ok(undefined) : openArgumentModel(models.toolflow, folder),
}
