import type { FlowEnv, PolicyFile } from '../../guests/flows/flow-policy.ts'

/** The current flow switches. Read for every request, so that an operator's change applies immediately. */
export interface FlowPolicySource {
  readonly env: FlowEnv
  file(): Promise<PolicyFile>
}
