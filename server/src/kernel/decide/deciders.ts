import type { Caller } from '../contract/caller.ts'
import type { Call } from '../contract/call.ts'
import type { Opinion } from '../contract/verdict.ts'
import { judgeBudget } from './judge-budget.ts'
import { judgeContent } from '../../guests/content/judge-content.ts'
import { judgeCredential } from './judge-credential.ts'
import { judgeDefinition, planDefinition } from './judge-definition.ts'
import { judgeDocument } from '../../guests/workflows/judge-document.ts'
import { judgeHealth } from '../../guests/serenity/judge-health.ts'
import { judgeNames } from './judge-names.ts'
import { judgeIntegrity } from './judge-integrity.ts'
import { judgeOwnCredentials } from '../../guests/content/judge-own-credentials.ts'
import { judgePause } from './judge-pause.ts'
import { judgeProvenanceOf } from '../../guests/provenance/judge-provenance.ts'
import { judgeRepetition } from './judge-repetition.ts'
import { judgeRetry } from './judge-retry.ts'
import { judgeRun } from './judge-run.ts'
import { judgeSandbox } from '../../guests/sandbox/judge-sandbox.ts'
import { judgeShell, planShell } from '../../guests/shell/judge-shell.ts'
import { judgeTrap } from '../../guests/content/judge-trap.ts'
import type { Facts } from './facts.ts'
import { judgePolicy, planPolicy } from '../policy/judge-policy.ts'
import { namesOf } from '../policy/match.ts'
import type { Policy } from '../policy/policy.ts'

/** What many calls have in common. Plans are made from it. */
export type Subject = {
  readonly policy: Policy
  readonly caller: Pick<Caller, 'id' | 'user' | 'kind'>
  readonly tool: Facts['tool']
  readonly tags: Facts['tags'] | undefined
  readonly lane: Facts['lane'] | undefined
}

export type PlannedJudge = (call: Call, facts: Facts) => readonly Opinion[]

/**
 * INVARIANT: `plan(subject)` has the same opinions as `judge` on every call of that subject (law in plan.test.ts). A decider with a
 * plan judges by making one, so that its rules are written once.
 */
export type Decider = {
  readonly name: string
  judge(policy: Policy, call: Call, facts: Facts): readonly Opinion[]
  /** Undefined: it has no opinion on any call of this subject. */
  plan?(subject: Subject): PlannedJudge | undefined
}

/** All deciders. To add one, add a line here and a file beside this one. */
export const DECIDERS: readonly Decider[] = [
  { name: 'integrity', judge: judgeIntegrity },
  { name: 'credential', judge: judgeCredential },
  { name: 'pause', judge: judgePause },
  { name: 'trap', judge: judgeTrap },
  { name: 'definition', judge: judgeDefinition, plan: ({ tool }) => planDefinition(tool) },
  { name: 'names', judge: judgeNames },
  { name: 'policy', judge: judgePolicy, plan: (subject) => planPolicy(subject.policy, namesOf(subject, subject)) },
  { name: 'sandbox', judge: judgeSandbox },
  { name: 'shell', judge: judgeShell, plan: ({ tool }) => planShell(tool) },
  { name: 'content', judge: judgeContent },
  { name: 'content', judge: judgeOwnCredentials },
  { name: 'health', judge: judgeHealth },
  { name: 'provenance', judge: judgeProvenanceOf },
  { name: 'run', judge: judgeRun },
  { name: 'retry', judge: judgeRetry },
  { name: 'capabilities', judge: judgeDocument },
  { name: 'budget', judge: judgeBudget },
  { name: 'repetition', judge: judgeRepetition },
]
