import type { FlowEnv, PolicyFile } from '../../core/flows/flow-policy.ts'

/** Where the switches of the flows stand. Read for every request: an operator's change counts at once. */
export interface FlowPolicySource {
  readonly env: FlowEnv
  file(): Promise<PolicyFile>
}
