import { judgePolicy, planPolicy } from '../policy/judge-policy.ts'
import { namesOf } from '../policy/match.ts'
import type { Decider } from './decider.ts'
import { judgeBudget } from './judge-budget.ts'
import { judgeCredential } from './judge-credential.ts'
import { judgeDefinition, planDefinition } from './judge-definition.ts'
import { judgeIntegrity } from './judge-integrity.ts'
import { judgeNames } from './judge-names.ts'
import { judgePause } from './judge-pause.ts'
import { judgeRepetition } from './judge-repetition.ts'
import { judgeRetry } from './judge-retry.ts'
import { judgeRun } from './judge-run.ts'

/**
 * The kernel's deciders. Those of guests stand between them by their ranks. In observe mode, a forged call, a revoked key, an admin's pause
 * and a retry that may repeat an effect are still enforced.
 */
export const KERNEL_DECIDERS: readonly Decider[] = [
  { name: 'integrity', rank: 10, enforced_in_observe: true, judge: judgeIntegrity },
  { name: 'credential', rank: 20, enforced_in_observe: true, judges_reads: true, judge: judgeCredential },
  { name: 'pause', rank: 30, enforced_in_observe: true, judges_reads: true, judge: judgePause },
  { name: 'definition', rank: 50, judge: judgeDefinition, plan: ({ tool }) => planDefinition(tool) },
  { name: 'names', rank: 60, judge: judgeNames },
  {
    name: 'policy',
    rank: 70,
    judges_reads: true,
    judge: judgePolicy,
    plan: (subject) => planPolicy(subject.policy, namesOf(subject, subject)),
  },
  { name: 'run', rank: 140, judge: judgeRun },
  { name: 'retry', rank: 150, enforced_in_observe: true, judge: judgeRetry },
  { name: 'budget', rank: 170, judge: judgeBudget },
  { name: 'repetition', rank: 180, judge: judgeRepetition },
]
