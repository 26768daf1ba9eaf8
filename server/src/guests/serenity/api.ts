import { z } from 'zod'
import type { Effect } from '../../kernel/contract/verdict.ts'

/** The three verdicts of the toolflow protocol. */
export const TOOLFLOW_VERDICTS = ['AUTO_RUN', 'ASK', 'BLOCK'] as const
export const ToolflowVerdict = z.enum(TOOLFLOW_VERDICTS)
export type ToolflowVerdict = z.infer<typeof ToolflowVerdict>

export const EFFECT_OF_VERDICT = { AUTO_RUN: 'allow', ASK: 'ask', BLOCK: 'block' } as const satisfies Record<
  ToolflowVerdict,
  Effect
>
export const VERDICT_OF_EFFECT = { allow: 'AUTO_RUN', ask: 'ASK', block: 'BLOCK' } as const satisfies Record<
  Effect,
  ToolflowVerdict
>

/** Whether a score is too old to use. */
export const isStale = (at: number, max_age_ms: number, now: number): boolean => now - at > max_age_ms
