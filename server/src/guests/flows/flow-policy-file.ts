import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FlowPolicySource } from './flow-policy.ts'

export const FLOW_POLICY_FILE = 'hub_flow_execution_policy.json'

/** The flow switches: the environment of this process, and a file in the data folder that is read again each time. */
export function openFlowPolicy(data: string, env: Readonly<Record<string, string | undefined>>): FlowPolicySource {
  const file = join(data, FLOW_POLICY_FILE)
  return {
    env: {
      run_writes: env['FLOW_RUN_WRITES_ENABLED'],
      automatable: env['FLOW_AUTOMATABLE_EXECUTION_ENABLED'],
      forbidden: env['FLOW_EXECUTION_POLICY_FORBIDDEN'],
    },
    file: () =>
      readFile(file, 'utf8').then(
        (text) => ({ text }),
        (error: unknown) =>
          error instanceof Error && 'code' in error && error.code === 'ENOENT' ? 'absent' : 'unreadable',
      ),
  }
}
