import type { Call } from '../../contract/call.ts'
import type { Opinion } from '../../contract/verdict.ts'
import { judgeBudget } from './judge-budget.ts'
import { judgeContent } from './judge-content.ts'
import { judgeCredential } from './judge-credential.ts'
import { judgeDefinition } from './judge-definition.ts'
import { judgeDocument } from './judge-document.ts'
import { judgeHealth } from './judge-health.ts'
import { judgeIntegrity } from './judge-integrity.ts'
import { judgeOwnCredentials } from './judge-own-credentials.ts'
import { judgePause } from './judge-pause.ts'
import { judgeProvenanceOf } from './judge-provenance.ts'
import { judgeRepetition } from './judge-repetition.ts'
import { judgeRun } from './judge-run.ts'
import { judgeSandbox } from './judge-sandbox.ts'
import { judgeShell } from './judge-shell.ts'
import { judgeTrap } from './judge-trap.ts'
import type { Facts } from './facts.ts'
import { judgePolicy } from './policy/judge-policy.ts'
import type { Policy } from './policy/policy.ts'

export type Decider = {
  readonly name: string
  judge(policy: Policy, call: Call, facts: Facts): readonly Opinion[]
}

/** All deciders. To add one, add a line here and a file beside this one. */
export const DECIDERS: readonly Decider[] = [
  { name: 'integrity', judge: judgeIntegrity },
  { name: 'credential', judge: judgeCredential },
  { name: 'pause', judge: judgePause },
  { name: 'trap', judge: judgeTrap },
  { name: 'definition', judge: judgeDefinition },
  { name: 'policy', judge: judgePolicy },
  { name: 'sandbox', judge: judgeSandbox },
  { name: 'shell', judge: judgeShell },
  { name: 'content', judge: judgeContent },
  { name: 'content', judge: judgeOwnCredentials },
  { name: 'health', judge: judgeHealth },
  { name: 'provenance', judge: judgeProvenanceOf },
  { name: 'run', judge: judgeRun },
  { name: 'capabilities', judge: judgeDocument },
  { name: 'budget', judge: judgeBudget },
  { name: 'repetition', judge: judgeRepetition },
]
