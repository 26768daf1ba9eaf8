import type { Judging } from '../../kernel/decide/judging.ts'
import type { HealthEvidence } from './health-evidence.ts'
import { healthFact } from './facts/health-fact.ts'
import { judgeHealth } from './judge-health.ts'

declare module '../../kernel/decide/judging.ts' {
  interface FactsPorts {
    /** Only with a `serenity` section. */
    readonly health?: HealthEvidence
  }
}

export const judging: Judging = {
  facts: [{ name: 'health', gather: healthFact, neutral: 'off' }],
  deciders: [{ name: 'health', rank: 120, judge: judgeHealth }],
}
