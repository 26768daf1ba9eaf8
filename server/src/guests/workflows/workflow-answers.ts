import { z } from 'zod'
import { DiffLine } from '../../kernel/approvals/packet-parts.ts'
import { VersionView } from './workflow.ts'

export const AppliedAnswer = VersionView.extend({ changed: z.boolean() })
export const DocumentAnswer = VersionView.extend({
  description: z.string().optional(),
  protocols: z.array(z.strictObject({ id: z.string(), trigger: z.string(), steps: z.int() })),
})
export const VersionAnswer = VersionView.extend({ text: z.string() })
export const DocumentDiffAnswer = z.strictObject({
  name: z.string(),
  from: z.int(),
  to: z.int(),
  added: z.int(),
  removed: z.int(),
  cut: z.boolean(),
  lines: z.array(DiffLine),
})
export const DryRunAnswer = z.strictObject({
  document: z.string(),
  protocol: z.string(),
  steps: z.array(
    z.strictObject({
      step: z.string(),
      does: z.string(),
      args: z.unknown(),
      verdict: z.strictObject({ effect: z.string(), why: z.array(z.string()) }).optional(),
      assumed: z.unknown(),
    }),
  ),
  stopped: z.strictObject({ code: z.string(), says: z.string(), step: z.string().nullable() }).optional(),
})
export const StartedAnswer = z.strictObject({ run_id: z.string() })
export const TakenAnswer = z.strictObject({
  taken: z.array(
    z.strictObject({
      is: z.enum(['started', 'refused', 'turn', 'ignored']),
      document: z.string().nullable(),
      run_id: z.string().optional(),
      code: z.string().optional(),
      says: z.string().optional(),
    }),
  ),
})

export const DryRunBody = z.strictObject({
  document: z.string().max(1_000_000),
  protocol: z.string().optional(),
  input: z.unknown().default({}),
})
export const RollBackBody = z.strictObject({ to: z.int().positive().optional() })
