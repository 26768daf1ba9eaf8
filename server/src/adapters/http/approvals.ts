import { textsInPacket } from '../../kernel/sessions/answer-texts.ts'
import { PAGED } from './parameters.ts'
import { EditPreviewAnswer } from '../../kernel/contract/activity.ts'
import { DecidedAnswer, listOf, TokenAnswer } from '../../kernel/contract/answers.ts'
import { PacketAnswer, RevealedAnswer } from '../../kernel/approvals/packet-answer.ts'
import type { ApprovalDecision } from '../../kernel/approvals/decide-approval.ts'
import { DecideBody, EditPreviewBody, RedeemBody } from '../../kernel/contract/api.ts'
import { ApprovalState, type ApprovalRow } from '../../kernel/contract/approval.ts'
import type { ConsentRow } from '../../kernel/contract/consent.ts'
import { ok, problem, type Result } from '../../kernel/contract/problems.ts'
import { shownConsent } from './consents.ts'
import { listResponse } from './list-response.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { pageOf, partOf, readerOf } from './query.ts'
import type { Gate } from '../../main/gate.ts'
import type { Site } from '../../kernel/ports/keys.ts'
import type { App } from './door.ts'
import { siteOf } from './proof.ts'
import { DECIDERS, PEOPLE } from './access.ts'
import { route, routeWithBody } from './route.ts'

export function approvalRoutes(app: App, gate: Gate): void {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/approvals',
      query: ['state', 'session', ...PAGED],
      access: PEOPLE,
      summary: 'Requests, by `state` (default pending, `any` for all)',
      answers: listOf(PacketAnswer),
    }),
    async (c) => {
      const word = c.req.query('state') ?? 'pending'
      const state = ApprovalState.safeParse(word)
      if (!state.success && word !== 'any') {
        return problemResponse(
          problem('request.invalid', { paths: `state: one of ${ApprovalState.options.join(', ')}, any` }),
          c.get('trace'),
        )
      }
      const page = await gate.approvals.list(c.get('caller'), state.data, pageOf(c))
      const labelled = await gate.readings.labelled(readerOf(c), ok(page.items), (packets) =>
        packets.flatMap(textsInPacket),
      )
      if (!labelled.ok) return problemResponse(labelled.problem, c.get('trace'))
      return listResponse({ ...page, notices: gate.policies.notices() })
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/approvals/{approval_id}',
      query: ['session'],
      access: PEOPLE,
      summary: 'The packet of one request',
      answers: PacketAnswer,
    }),
    async (c) => {
      const found = await gate.approvals.read(c.get('caller'), partOf(c, 'approval_id'))
      const read = await gate.readings.labelled(readerOf(c), found, textsInPacket)
      return read.ok ? jsonResponse(200, read.value) : problemResponse(read.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'post',
      path: '/v1/approvals/{approval_id}/reveal',
      access: DECIDERS,
      summary: 'The redacted text of a request; reading it is recorded in the audit',
      answers: RevealedAnswer,
    }),
    async (c) => {
      const revealed = await gate.approvals.reveal(c.get('caller'), partOf(c, 'approval_id'))
      return revealed.ok ? jsonResponse(200, revealed.value) : problemResponse(revealed.problem, c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/approvals/{approval_id}/decide',
      access: DECIDERS,
      summary: 'Approve (and remember), deny, or edit the arguments',
      grants: true,
      answers: DecidedAnswer,
      body: DecideBody,
    }),
    async (c) => {
      const body = c.req.valid('json')
      const id = partOf(c, 'approval_id')
      const by = c.get('caller')
      const result =
        body.decision === 'edit'
          ? await gate.approvals.edit(by, id, body.args, shownAs(body))
          : await gate.approvals.decide(by, id, decisionOf(body, siteOf(c, c.get('login'))))
      if (result.ok || !SHOW_AGAIN.has(result.problem.code)) return decided(gate, result, c.get('trace'))
      // The packet changed before the decision: the answer contains the current one.
      const now = await gate.approvals.read(by, id)
      return problemResponse(result.problem, c.get('trace'), now.ok ? { packet: now.value } : {})
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/approvals/{approval_id}/edit-preview',
      access: DECIDERS,
      summary: 'Preview the decision for edited arguments; nothing is saved or run',
      answers: EditPreviewAnswer,
      body: EditPreviewBody,
    }),
    async (c) => {
      const said = await gate.approvals.previewEdit(c.get('caller'), partOf(c, 'approval_id'), c.req.valid('json').args)
      return said.ok ? jsonResponse(200, said.value) : problemResponse(said.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'post',
      path: '/v1/approvals/{approval_id}/token',
      access: ['user', ...DECIDERS],
      summary: 'Issue a token for the user of the session',
      answers: TokenAnswer,
    }),
    async (c) => {
      const issued = await gate.approvals.issueToken(c.get('caller'), partOf(c, 'approval_id'))
      return issued.ok ? jsonResponse(200, { token: issued.value }) : problemResponse(issued.problem, c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/approvals/{approval_id}/redeem',
      access: PEOPLE,
      summary: 'Answer with a token, as the user of the session',
      body: RedeemBody,
      answers: DecidedAnswer,
    }),
    async (c) => {
      const { token, thread, decision, reason } = c.req.valid('json')
      const why = reason === undefined ? {} : { reason }
      const presented = { approval_id: partOf(c, 'approval_id'), token, thread, says: decision, ...why }
      return decided(gate, await gate.approvals.redeemToken(c.get('caller'), presented), c.get('trace'))
    },
  )
}

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

function decided(gate: Gate, result: Result<ApprovalRow & { readonly consent?: ConsentRow }>, trace: string): Response {
  if (!result.ok) return problemResponse(result.problem, trace)
  const { approval_id, call_id, state, decisions, strength, replaces, consent } = result.value
  return jsonResponse(200, {
    approval_id,
    call_id,
    state,
    strength,
    asked: gate.approvals.asked(result.value),
    decisions,
    ...(replaces === undefined ? {} : { replaces }),
    ...(consent === undefined ? {} : { consent: shownConsent(consent) }),
  })
}
