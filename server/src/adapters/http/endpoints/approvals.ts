import { EditPreviewAnswer } from '../../../kernel/contract/activity.ts'
import { DecidedAnswer, listOf, TokenAnswer } from '../../../kernel/contract/answers.ts'
import { DecideBody, EditPreviewBody, RedeemBody } from '../../../kernel/contract/api.ts'
import { ApprovalState, type ApprovalRow } from '../../../kernel/contract/approval.ts'
import type { ConsentRow } from '../../../kernel/contract/consent.ts'
import type { LivePolicy } from '../../../kernel/policy/live-policy.ts'
import { warningsOf } from '../../../kernel/policy/show.ts'
import { ok, refuse } from '../../../kernel/contract/problems.ts'
import { decideApproval, type ApprovalDecision, type DecidePorts } from '../../../kernel/approvals/decide-approval.ts'
import { editApproval, type EditPorts } from '../../../kernel/approvals/edit-approval.ts'
import { PacketAnswer, RevealedAnswer } from '../../../kernel/approvals/packet-answer.ts'
import { previewEdit } from '../../../kernel/approvals/preview-edit.ts'
import { listApprovals, readApproval } from '../../../kernel/approvals/read-approvals.ts'
import { revealApproval, type RevealPorts } from '../../../kernel/approvals/reveal-approval.ts'
import { whoIsAsked } from '../../../kernel/approvals/routes/seats.ts'
import { issueToken, redeemToken, type TokenPorts } from '../../../kernel/approvals/tokens.ts'
import type { MintPorts } from '../../../kernel/consents/mint-consent.ts'
import type { PasskeyPorts } from '../../../kernel/identity/passkeys.ts'
import type { Site } from '../../../kernel/ports/keys.ts'
import type { Searches } from '../../../kernel/ports/reads.ts'
import { textsInPacket } from '../../../kernel/sessions/answer-texts.ts'
import { DECIDERS, PEOPLE } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { listResponse } from '../list-response.ts'
import { PAGED } from '../parameters.ts'
import { problemResponse } from '../problem.ts'
import { callerIn } from '../query.ts'
import { shownConsent } from './consents.ts'

export type ApprovalPorts = { readonly searches: Searches; readonly live: LivePolicy } & RevealPorts &
  DecidePorts &
  EditPorts &
  TokenPorts &
  MintPorts &
  PasskeyPorts

export const approvalEndpoints = (k: ApprovalPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/approvals',
    access: PEOPLE,
    says: 'Requests, by `state` (default pending, `any` for all), and by tool, agent or caller, and time (ms). With one of these, a page may be short and still have a `next`: one request reads a limited number of requests',
    query: ['state', 'tool', 'agent', 'caller', 'since', 'until', 'session', ...PAGED],
    answers: listOf(PacketAnswer),
    async run(caller, { query, page, number }) {
      const word = query.state ?? 'pending'
      const state = ApprovalState.safeParse(word)
      if (!state.success && word !== 'any')
        return refuse('request.invalid', { paths: `state: one of ${ApprovalState.options.join(', ')}, any` })
      const asked_by = callerIn(query)
      if (!asked_by.ok) return asked_by
      const { tool, since, until } = query
      return ok(
        await listApprovals(k, caller, state.data, page, {
          ...(tool === undefined ? {} : { tool }),
          ...(asked_by.value === undefined ? {} : { caller: asked_by.value }),
          ...(since === undefined ? {} : { since: number('since', 0) }),
          ...(until === undefined ? {} : { until: number('until', 0) }),
        }),
      )
    },
    reads: ({ items }) => items.flatMap(textsInPacket),
    shows: (page) => listResponse({ ...page, notices: warningsOf(k.live) }),
  }),
  endpoint({
    at: 'GET /v1/approvals/{approval_id}',
    access: PEOPLE,
    says: 'The packet of one request',
    query: ['session'],
    answers: PacketAnswer,
    run: (caller, { params }) => readApproval(k, caller, params.approval_id),
    reads: textsInPacket,
  }),
  endpoint({
    at: 'POST /v1/approvals/{approval_id}/reveal',
    access: DECIDERS,
    says: 'The redacted text of a request; reading it is recorded in the audit',
    answers: RevealedAnswer,
    run: (caller, { params }) => revealApproval(k, caller, params.approval_id),
  }),
  endpoint({
    at: 'POST /v1/approvals/{approval_id}/decide',
    access: DECIDERS,
    says: 'Approve (and remember), deny, or edit the arguments',
    grants: 'in_body',
    body: DecideBody,
    answers: DecidedAnswer,
    async run(by, { params: { approval_id }, body, site, trace }) {
      const result =
        body.decision === 'edit'
          ? await editApproval(k, by, approval_id, body.args, shownAs(body))
          : await decideApproval(k, by, approval_id, decisionOf(body, site))
      if (result.ok || !SHOW_AGAIN.has(result.problem.code)) return result
      // The packet changed before the decision: the answer contains the current one.
      const now = await readApproval(k, by, approval_id)
      return problemResponse(result.problem, trace, now.ok ? { packet: now.value } : {})
    },
    shows: (decided) => shownDecision(k, decided),
  }),
  endpoint({
    at: 'POST /v1/approvals/{approval_id}/edit-preview',
    access: DECIDERS,
    says: 'Preview the decision for edited arguments; nothing is saved or run',
    body: EditPreviewBody,
    answers: EditPreviewAnswer,
    run: (caller, { params, body }) => previewEdit(k, caller, params.approval_id, body.args),
  }),
  endpoint({
    at: 'POST /v1/approvals/{approval_id}/token',
    access: ['user', ...DECIDERS],
    says: 'Issue a token for the user of the session',
    answers: TokenAnswer,
    run: (caller, { params }) => issueToken(k, caller, params.approval_id),
    shows: (token) => ({ token }),
  }),
  endpoint({
    at: 'POST /v1/approvals/{approval_id}/redeem',
    access: PEOPLE,
    says: 'Answer with a token, as the user of the session',
    body: RedeemBody,
    answers: DecidedAnswer,
    run(caller, { params: { approval_id }, body: { token, thread, decision, reason } }) {
      const why = reason === undefined ? {} : { reason }
      return redeemToken(k, caller, { approval_id, token, thread, says: decision, ...why })
    },
    shows: (decided) => shownDecision(k, decided),
  }),
]

const SHOW_AGAIN: ReadonlySet<string> = new Set([
  'approval.changed',
  'approval.not_shown',
  'approval.not_pending',
  'approval.expired',
])

const shownAs = ({
  digest,
  version,
}: {
  readonly digest?: string | undefined
  readonly version?: number | undefined
}) => ({
  ...(digest === undefined ? {} : { digest }),
  ...(version === undefined ? {} : { version }),
})

function decisionOf(body: Exclude<DecideBody, { decision: 'edit' }>, site: Site): ApprovalDecision {
  const reason = body.reason === undefined ? {} : { reason: body.reason }
  if (body.decision === 'deny') return { says: 'deny', ...reason }
  const { digest, version, unfolded, remember, typed, passphrase, passkey } = body
  return {
    says: 'approve',
    digest,
    ...(version === undefined ? {} : { version }),
    ...(unfolded === undefined ? {} : { unfolded }),
    ...reason,
    ...(remember === undefined ? {} : { remember }),
    ...(typed === undefined ? {} : { typed }),
    ...(passphrase === undefined ? {} : { passphrase }),
    ...(passkey === undefined ? {} : { passkey: { assertion: passkey, site } }),
  }
}

function shownDecision(
  { routes }: Pick<ApprovalPorts, 'routes'>,
  row: ApprovalRow & { readonly consent?: ConsentRow },
): object {
  const { approval_id, call_id, state, decisions, strength, replaces, consent } = row
  return {
    approval_id,
    call_id,
    state,
    strength,
    asked: whoIsAsked(row, routes.groups),
    decisions,
    ...(replaces === undefined ? {} : { replaces }),
    ...(consent === undefined ? {} : { consent: shownConsent(consent) }),
  }
}
