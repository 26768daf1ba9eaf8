import { ConsentPreviewAnswer } from '../../../kernel/contract/activity.ts'
import { ConsentAnswer, listOf, MintedConsentAnswer } from '../../../kernel/contract/answers.ts'
import { ConsentBody, RememberPreviewBody } from '../../../kernel/contract/api.ts'
import { ConsentTerms, type ConsentRow } from '../../../kernel/contract/consent.ts'
import { ok } from '../../../kernel/contract/problems.ts'
import { listConsents, type ConsentReadPorts } from '../../../kernel/consents/list-consents.ts'
import { mintConsent, type MintAheadPorts } from '../../../kernel/consents/mint-consent.ts'
import { previewConsent, previewRemember, type ConsentPreviewPorts } from '../../../kernel/consents/preview-consent.ts'
import { revokeConsent } from '../../../kernel/consents/revoke-consent.ts'
import { DECIDERS, PEOPLE } from '../access.ts'
import { endpoint, type Endpoint } from '../endpoint.ts'
import { PAGED } from '../parameters.ts'

export type ConsentPorts = MintAheadPorts & ConsentReadPorts & ConsentPreviewPorts

/** Consents: mint, list, revoke. */
export const consentEndpoints = (k: ConsentPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/consents',
    access: PEOPLE,
    says: 'Consents with what is left of each, newest first',
    query: PAGED,
    answers: listOf(ConsentAnswer),
    run: async (caller, { page }) => ok(await listConsents(k, caller, page)),
  }),
  endpoint({
    at: 'POST /v1/consents',
    access: DECIDERS,
    says: 'Create a consent: permit calls in advance, within explicit limits',
    status: 201,
    grants: true,
    body: ConsentBody,
    answers: MintedConsentAnswer,
    run: (caller, { body, proof }) => mintConsent(k, caller, body, proof),
    shows: shownConsent,
  }),
  endpoint({
    at: 'POST /v1/consents/preview',
    access: DECIDERS,
    says: 'How many calls of the last week a consent would have allowed; nothing is created',
    body: ConsentTerms,
    answers: ConsentPreviewAnswer,
    run: (caller, { body }) => previewConsent(k, caller, body),
  }),
  endpoint({
    at: 'POST /v1/approvals/{approval_id}/consent-preview',
    access: DECIDERS,
    says: 'The same preview for a consent that is remembered with an approval',
    body: RememberPreviewBody,
    answers: ConsentPreviewAnswer,
    run: (caller, { params, body }) => previewRemember(k, caller, params.approval_id, body.remember),
  }),
  endpoint({
    at: 'DELETE /v1/consents/{consent_id}',
    access: DECIDERS,
    says: 'Revoke a consent',
    answers: MintedConsentAnswer,
    run: (caller, { params }) => revokeConsent(k, caller, params.consent_id),
    shows: shownConsent,
  }),
]

/** Internal fields are left out. */
export function shownConsent({ shelf: _, ...shown }: ConsentRow): Omit<ConsentRow, 'shelf'> {
  return shown
}
