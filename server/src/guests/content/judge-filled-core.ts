import type { Call } from '../../kernel/contract/call.ts'
import type { Opinion } from '../../kernel/contract/verdict.ts'
import { judgeOwnCredentials, type CredentialFacts } from './judge-own-credentials.ts'
import { judgeSandboxFacts, type SandboxFacts } from '../sandbox/judge-sandbox.ts'
import { judgeTrapFacts, type HoneyFacts } from './judge-trap.ts'

/** Objections to arguments that the gate filled in itself: the rules that apply regardless of the policy. */
export const judgeFilled = (call: Call, facts: SandboxFacts & HoneyFacts & CredentialFacts): Opinion[] => [
  ...judgeSandboxFacts(call, facts),
  ...judgeTrapFacts(facts),
  ...judgeOwnCredentials(undefined, call, facts),
]
