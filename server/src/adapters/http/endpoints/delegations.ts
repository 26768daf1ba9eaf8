import { listOf } from '../../../kernel/contract/answers.ts'
import { DelegateBody, DelegationAnswer, RoutesAnswer } from '../../../kernel/contract/delegation.ts'
import {
  delegate,
  endDelegation,
  listDelegations,
  type DelegationPorts,
} from '../../../kernel/approvals/delegations.ts'
import type { PasskeyPorts } from '../../../kernel/identity/passkeys.ts'
import { showRoutes } from '../../../kernel/approvals/show-routes.ts'
import { DECIDERS } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'

export type DelegationEndpointPorts = DelegationPorts & PasskeyPorts & Parameters<typeof showRoutes>[0]

/** Approval routes and delegations. */
export const delegationEndpoints = (k: DelegationEndpointPorts): readonly Endpoint[] => [
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
