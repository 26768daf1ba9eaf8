import type { Json } from '../../kernel/contract/json.ts'
import { listOf } from '../../kernel/contract/answers.ts'
import { textsInFlow } from './answer-texts.ts'
import { CALLERS, OVERSEERS, PEOPLE } from '../../adapters/http/access.ts'
import { endpoint, type EndpointInput, type Endpoint } from '../../adapters/http/endpoint.ts'
import type { FlowRunPorts } from './act-on-flow-run.ts'
import { DecideProposalBody, EvaluateBody, ProposalView } from './flows.ts'
import { decideProposal, evaluateProposal, listProposals, readProposal } from './review-proposals.ts'

const reads = (value: object, { body = {} }: Pick<EndpointInput, 'body'>) => textsInFlow(value, body as Json)

/** Proposals from flow runs: filed, evaluated, approved or discarded. */
export const proposalEndpoints = (k: FlowRunPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/proposals',
    access: CALLERS,
    says: 'Proposals that you can see, newest first',
    query: ['limit', 'after', 'state', 'run_id', 'session', 'vault_id'],
    answers: listOf(ProposalView),
    run: (caller, { page, query: { state, run_id, vault_id } }) =>
      listProposals(k, caller, {
        ...page,
        ...(state === undefined || state === 'all' ? {} : { state }),
        ...(run_id === undefined ? {} : { run_id }),
        ...(vault_id === undefined ? {} : { vault_id }),
      }),
    reads,
  }),
  endpoint({
    at: 'GET /v1/proposals/{proposal_id}',
    access: CALLERS,
    says: 'One proposal',
    query: ['session', 'vault_id'],
    answers: ProposalView,
    run: (caller, { params, query }) => readProposal(k, caller, params.proposal_id, query.vault_id),
    reads,
  }),
  endpoint({
    at: 'POST /v1/proposals/{proposal_id}/evaluate',
    access: OVERSEERS,
    says: 'Answer the rubric of a proposal',
    query: ['session', 'vault_id'],
    body: EvaluateBody,
    answers: ProposalView,
    run: (caller, { params, body, query, header }) =>
      evaluateProposal(k, caller, params.proposal_id, withEtag(body, header('if-match')), query.vault_id),
    reads,
  }),
  endpoint({
    at: 'POST /v1/proposals/{proposal_id}/decide',
    access: PEOPLE,
    says: 'Approve a proposal, or discard it',
    query: ['session', 'vault_id'],
    body: DecideProposalBody,
    answers: ProposalView,
    run: (caller, { params, body, query, header }) =>
      decideProposal(k, caller, params.proposal_id, withEtag(body, header('if-match')), query.vault_id),
    reads,
  }),
]

const withEtag = <Body extends object>(body: Body, etag: string | undefined): Body =>
  etag === undefined ? body : { ...body, etag }
