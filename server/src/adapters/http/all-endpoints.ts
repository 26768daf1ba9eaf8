import { z } from 'zod'
import { ok } from '../../kernel/contract/problems.ts'
import type { PasskeyPorts } from '../../kernel/identity/passkeys.ts'
import type { Guest } from '../../kernel/registries.ts'
import { PEOPLE } from './access.ts'
import type { BoundPorts } from '../../kernel/ports/bound-ports.ts'
import { endpoint, type Endpoint } from './endpoint.ts'
import { adminEndpoints, type AdminPorts } from './endpoints/admin.ts'
import { approvalEndpoints, type ApprovalPorts } from './endpoints/approvals.ts'
import { auditEndpoints, type AuditPorts } from './endpoints/audit.ts'
import { callEndpoints, type CallPorts } from './endpoints/calls.ts'
import { consentEndpoints, type ConsentPorts } from './endpoints/consents.ts'
import { consoleEndpoints } from './endpoints/console.ts'
import { delegationEndpoints, type DelegationEndpointPorts } from './endpoints/delegations.ts'
import { keyEndpoints, type KeyPorts } from './endpoints/keys.ts'
import { loginEndpoints, type LoginEndpointPorts } from './endpoints/login.ts'
import { MCP_ENDPOINTS } from './endpoints/mcp.ts'
import { passkeyEndpoints } from './endpoints/passkeys.ts'
import { passphraseEndpoints, type PassphraseEndpointPorts } from './endpoints/passphrase.ts'
import { policyEndpoints, type PolicyPorts } from './endpoints/policies.ts'
import { runEndpoints, type RunPorts } from './endpoints/runs.ts'
import { streamEndpoints, type StreamPorts } from './endpoints/stream.ts'
import { toolEndpoints, type ToolPorts } from './endpoints/tools.ts'

/** What the endpoints of the kernel's subjects take. */
export type KernelDoorPorts = AdminPorts &
  ApprovalPorts &
  AuditPorts &
  CallPorts &
  ConsentPorts &
  DelegationEndpointPorts &
  KeyPorts &
  LoginEndpointPorts &
  PasskeyPorts &
  PassphraseEndpointPorts &
  PolicyPorts &
  RunPorts &
  StreamPorts &
  ToolPorts

/** Every endpoint of this build. `k` is for the kernel's subjects: their calls are measured. */
export async function allEndpoints(
  guests: readonly Guest[],
  k: KernelDoorPorts,
  ports: BoundPorts,
): Promise<readonly Endpoint[]> {
  const [ofGuests, features] = await Promise.all([
    Promise.all(guests.flatMap((guest) => guest.endpoints?.() ?? [])),
    Promise.all(guests.flatMap((guest) => guest.features?.() ?? [])),
  ])
  return [
    ...adminEndpoints(k),
    ...approvalEndpoints(k),
    ...auditEndpoints(k),
    ...callEndpoints(k),
    ...consentEndpoints(k),
    ...consoleEndpoints(),
    ...delegationEndpoints(k),
    ...keyEndpoints(k),
    ...loginEndpoints(k),
    ...MCP_ENDPOINTS,
    ...passkeyEndpoints(k),
    ...passphraseEndpoints(k),
    ...policyEndpoints(k),
    ...runEndpoints(k),
    ...streamEndpoints(k),
    ...toolEndpoints(k),
    endpoint({
      at: 'GET /v1/features',
      access: PEOPLE,
      says: 'Whether a model is configured for the agent, and whether flows are on',
      answers: z.object(Object.fromEntries(features.flatMap(({ fields }) => Object.entries(fields)))),
      run: async () =>
        ok(Object.assign({}, ...(await Promise.all(features.map(async ({ read }) => read(ports))))) as object),
    }),
    ...ofGuests.flatMap((make) => make(ports)),
  ]
}
