import {
  FeaturesAnswer,
  UserAnswer,
  listOf,
  CallAnswer,
  SettledAnswer,
  WithdrawnAnswer,
  RunAnswer,
  RunDetailsAnswer,
} from '../../kernel/contract/answers.ts'
import { ok, refuse } from '../../kernel/contract/problems.ts'
import type { Guest } from '../../kernel/registries.ts'
import { PEOPLE, CALLERS, ADMINS, DECIDERS } from './access.ts'
import type { BoundPorts } from '../../kernel/ports/bound-ports.ts'
import { endpoint, type Endpoint } from './endpoint.ts'
import { adminEndpoints, type AdminPorts } from './endpoints/admin.ts'
import { approvalEndpoints, type ApprovalPorts } from './endpoints/approvals.ts'
import { auditEndpoints, type AuditPorts } from './endpoints/audit.ts'
import { consentEndpoints, type ConsentPorts } from './endpoints/consents.ts'
import { consoleEndpoints } from './endpoints/console.ts'
import { keyEndpoints, type KeyPorts } from './endpoints/keys.ts'
import { loginEndpoints, type LoginPorts } from './endpoints/login.ts'
import { passkeyEndpoints, type PasskeyPorts } from './endpoints/passkeys.ts'
import { policyEndpoints, type PolicyPorts } from './endpoints/policies.ts'
import { streamEndpoints, type StreamPorts } from './endpoints/stream.ts'
import { toolEndpoints, type ToolPorts } from './endpoints/tools.ts'
import { PassphraseBody, SettleBody, CancelRunBody } from '../../kernel/contract/api.ts'
import { setPassphrase, type PassphraseDeps } from '../../kernel/identity/passphrase.ts'
import { clearPassphrase } from '../../kernel/identity/remove-proof.ts'
import { DelegateBody, DelegationAnswer, RoutesAnswer } from '../../kernel/contract/delegation.ts'
import { delegate, endDelegation, listDelegations, type DelegationDeps } from '../../kernel/approvals/delegations.ts'
import type { PasskeyDeps } from '../../kernel/identity/passkeys.ts'
import { showRoutes } from '../../kernel/approvals/show-routes.ts'
import { readCallByKey, readCall } from '../../kernel/attempt/read-call.ts'
import { settleCall, type SettleDeps } from '../../kernel/attempt/settle-call.ts'
import { withdrawCall } from '../../kernel/attempt/withdraw-call.ts'
import { textsInOutcome } from '../../kernel/sessions/answer-texts.ts'
import { outcomeResponse } from './call-request.ts'
import { callToolEndpoint, type CallToolPorts } from './endpoints/call-tool.ts'
import { RunId } from '../../kernel/contract/ids.ts'
import { RunStatus } from '../../kernel/contract/run.ts'
import { cancelRun, type CancelRunDeps } from '../../kernel/runs/cancel-run.ts'
import { listRuns, readRun, type ReadRunDeps } from '../../kernel/runs/read-run.ts'
import { resumeRun, type ResumeRunDeps } from '../../kernel/runs/resume-run.ts'
import { PAGED } from './parameters.ts'

type RunPorts = ReadRunDeps & CancelRunDeps & ResumeRunDeps

const TEXTS = ['kind', 'owner', 'user', 'thread'] as const

const runEndpoints = (k: RunPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/runs',
    access: CALLERS,
    says: 'Background runs (held calls, deliveries, toolflows, agent threads, workflows), newest first',
    query: ['status', ...TEXTS, 'parent', ...PAGED],
    answers: listOf(RunAnswer),
    async run(caller, { query, page }) {
      const status = RunStatus.optional().safeParse(query.status)
      const parent = RunId.optional().safeParse(query.parent)
      const { kind } = query
      const faults = [
        ...(status.success ? [] : [`status: one of ${RunStatus.options.join(', ')}`]),
        ...(parent.success ? [] : ['parent: not the id of a run']),
        ...(kind === undefined || k.kinds.has(kind) ? [] : [`kind: one of ${[...k.kinds.keys()].join(', ')}`]),
      ]
      if (!status.success || !parent.success || faults.length > 0)
        return refuse('request.invalid', { paths: faults.join('; ') })
      const asked = TEXTS.map((name) => [name, query[name]]).filter(([, value]) => value !== undefined)
      const filter = {
        ...(Object.fromEntries(asked) as Partial<Record<(typeof TEXTS)[number], string>>),
        ...(status.data === undefined ? {} : { status: status.data }),
        ...(parent.data === undefined ? {} : { parent: parent.data }),
      }
      return ok(await listRuns(k, caller, filter, page))
    },
  }),
  endpoint({
    at: 'GET /v1/runs/{run_id}',
    access: CALLERS,
    says: 'One run and a page of its journal: types, keys and times, but no arguments or outputs',
    query: PAGED,
    answers: RunDetailsAnswer,
    run: (caller, { params, page }) => readRun(k, caller, params.run_id, page),
  }),
  endpoint({
    at: 'POST /v1/runs/{run_id}/cancel',
    access: CALLERS,
    says: 'Ask a run to stop; a call that is waiting for approval is withdrawn, one that is executing is allowed to finish',
    status: 202,
    body: CancelRunBody,
    answers: RunAnswer,
    run: (caller, { params, body }) => cancelRun(k, caller, params.run_id, body.reason),
  }),
  endpoint({
    at: 'POST /v1/runs/{run_id}/resume',
    access: ADMINS,
    says: 'Resume a faulted run, after its cause was fixed',
    answers: RunAnswer,
    run: (caller, { params }) => resumeRun(k, caller, params.run_id),
  }),
]

type CallPorts = CallToolPorts & SettleDeps & Parameters<typeof withdrawCall>[0]

const callEndpoints = (k: CallPorts): readonly Endpoint[] => [
  callToolEndpoint(k),
  endpoint({
    at: 'GET /v1/calls/{call_id}',
    access: CALLERS,
    says: 'The outcome of a call, with an optional bounded wait (wait_ms)',
    query: ['wait_ms', 'session'],
    status: [200, 202],
    answers: CallAnswer,
    run: (caller, { params, number }) => readCall(k, caller, params.call_id, number('wait_ms', 0)),
    reads: textsInOutcome,
    shows: (outcome, { trace }) => outcomeResponse(outcome, trace),
  }),
  endpoint({
    at: 'GET /v1/calls/by-key/{idempotency_key}',
    access: CALLERS,
    says: 'The outcome of the call made with an idempotency key, if its answer was lost; runs nothing',
    query: ['wait_ms', 'session'],
    status: [200, 202],
    answers: CallAnswer,
    run: (caller, { params, number }) => readCallByKey(k, caller, params.idempotency_key, number('wait_ms', 0)),
    reads: textsInOutcome,
    shows: (outcome, { trace }) => outcomeResponse(outcome, trace),
  }),
  endpoint({
    at: 'POST /v1/calls/{call_id}/resume',
    access: DECIDERS,
    says: 'Settle a call whose outcome is unknown',
    grants: true,
    body: SettleBody,
    answers: SettledAnswer,
    run: (caller, { params, body, proof }) => settleCall(k, caller, params.call_id, body.as, proof),
    reads: textsInOutcome,
  }),
  endpoint({
    at: 'POST /v1/calls/{call_id}/withdraw',
    access: ['agent', ...PEOPLE],
    says: 'Withdraw your own held call',
    answers: WithdrawnAnswer,
    run: (caller, { params }) => withdrawCall(k, caller, params.call_id),
    shows: ({ approval_id, state }) => ({ approval_id, state }),
  }),
]

type DelegationPorts = DelegationDeps & PasskeyDeps & Parameters<typeof showRoutes>[0]

/** Approval routes and delegations. */
const delegationEndpoints = (k: DelegationPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/approval-routes',
    access: DECIDERS,
    says: 'Who is asked about which calls: the groups and the routes in force',
    answers: RoutesAnswer,
    run: (caller) => showRoutes(k, caller),
  }),
  endpoint({
    at: 'GET /v1/delegations',
    access: DECIDERS,
    says: 'Who has delegated approvals to whom, and until when',
    answers: listOf(DelegationAnswer),
    run: (caller) => listDelegations(k, caller),
    shows: (items) => ({ items }),
  }),
  endpoint({
    at: 'POST /v1/delegations',
    access: DECIDERS,
    says: 'Delegate your approvals to another approver for a period; it is audited',
    status: 201,
    grants: true,
    body: DelegateBody,
    answers: DelegationAnswer,
    run: (caller, { body, proof }) => delegate(k, caller, body, proof),
  }),
  endpoint({
    at: 'DELETE /v1/delegations/{delegation_id}',
    access: DECIDERS,
    says: 'End a delegation now',
    answers: DelegationAnswer,
    run: (caller, { params }) => endDelegation(k, caller, params.delegation_id),
  }),
]

type PassphrasePorts = PassphraseDeps & Parameters<typeof clearPassphrase>[0]

/** The passphrase of an approver. */
const passphraseEndpoints = (k: PassphrasePorts): readonly Endpoint[] => [
  endpoint({
    at: 'POST /v1/passphrase',
    access: DECIDERS,
    says: 'Set your passphrase for strong approvals (with `current`, if you already have one)',
    body: PassphraseBody,
    answers: UserAnswer,
    async run(caller, { body: { passphrase, current } }) {
      const set = await setPassphrase(k, caller, { passphrase, ...(current === undefined ? {} : { current }) })
      return set.ok ? { ok: true, value: { user: caller.user } } : set
    },
  }),
  endpoint({
    at: 'DELETE /v1/passphrases/{user}',
    access: ADMINS,
    says: 'Remove the passphrase of someone who has lost it; the body contains only your proof, if you have one',
    grants: true,
    answers: UserAnswer,
    run: (caller, { params, proof }) => clearPassphrase(k, caller, params.user, proof),
    shows: (_, { params }) => ({ user: params.user }),
  }),
]

/** What the endpoints of the kernel's subjects take. */
export type KernelDoorPorts = AdminPorts &
  ApprovalPorts &
  AuditPorts &
  CallPorts &
  ConsentPorts &
  DelegationPorts &
  KeyPorts &
  LoginPorts &
  PasskeyPorts &
  PassphrasePorts &
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
      answers: FeaturesAnswer,
      run: async () => ok(Object.assign({}, ...(await Promise.all(features.map(async (of) => of(ports))))) as object),
    }),
    ...ofGuests.flatMap((make) => make(ports)),
  ]
}

/**
 * `/mcp` in the API's document and the access matrix. It is served by `adapters/mcp/serve-http.ts`, before the API's router, so that
 * tool calls skip work that only the API needs.
 */
const MCP_ENDPOINTS: readonly Endpoint[] = [
  endpoint({
    at: 'POST /mcp',
    access: CALLERS,
    says: 'MCP (streamable HTTP): one message; the answer is JSON or a stream of events (`surface`)',
    query: ['surface'],
  }),
  endpoint({ at: 'GET /mcp', access: CALLERS, says: 'MCP before 2026-07-28: a stream of notifications' }),
  endpoint({ at: 'DELETE /mcp', access: CALLERS, says: 'MCP before 2026-07-28: end a session' }),
  endpoint({
    at: 'GET /.well-known/oauth-protected-resource/mcp',
    access: 'anyone',
    says: 'Who issues tokens for `/mcp` (RFC 9728)',
  }),
  endpoint({
    at: 'GET /.well-known/oauth-protected-resource',
    access: 'anyone',
    says: 'The same, for clients that look only here',
    undocumented: true,
  }),
]
