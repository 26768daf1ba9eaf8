import { PAGED } from './parameters.ts'
import { ConsentPreviewAnswer } from '../../kernel/contract/activity.ts'
import { ConsentAnswer, listOf, MintedConsentAnswer } from '../../kernel/contract/answers.ts'
import { ConsentBody, RememberPreviewBody } from '../../kernel/contract/api.ts'
import { ConsentTerms, type ConsentRow } from '../../kernel/contract/consent.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import { pageOf, partOf } from './query.ts'
import { DECIDERS, PEOPLE } from './access.ts'
import { withoutProof } from './proof.ts'
import { route, routeWithBody, type Routes } from './route.ts'

/** Consents: mint, list, revoke. */
export const consentRoutes: Routes = (app, gate) => {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/consents',
      query: PAGED,
      access: PEOPLE,
      summary: 'Consents with what is left of each, newest first',
      answers: listOf(ConsentAnswer),
    }),
    async (c) => jsonResponse(200, await gate.consents.list(c.get('caller'), pageOf(c))),
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/consents',
      status: [201],
      access: DECIDERS,
      summary: 'Create a consent: permit calls in advance, within explicit limits',
      grants: true,
      answers: MintedConsentAnswer,
      body: ConsentBody,
    }),
    async (c) => {
      const terms = withoutProof(c.req.valid('json'))
      const minted = await gate.consents.mint(c.get('caller'), terms, c.get('proof'))
      return minted.ok ? jsonResponse(201, shownConsent(minted.value)) : problemResponse(minted.problem, c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/consents/preview',
      access: DECIDERS,
      summary: 'How many calls of the last week a consent would have allowed; nothing is created',
      body: ConsentTerms,
      answers: ConsentPreviewAnswer,
    }),
    async (c) => {
      const said = await gate.consents.preview(c.get('caller'), c.req.valid('json'))
      return said.ok ? jsonResponse(200, said.value) : problemResponse(said.problem, c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/approvals/{approval_id}/consent-preview',
      access: DECIDERS,
      summary: 'The same preview for a consent that is remembered with an approval',
      body: RememberPreviewBody,
      answers: ConsentPreviewAnswer,
    }),
    async (c) => {
      const { remember } = c.req.valid('json')
      const said = await gate.consents.previewRemember(c.get('caller'), partOf(c, 'approval_id'), remember)
      return said.ok ? jsonResponse(200, said.value) : problemResponse(said.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'delete',
      path: '/v1/consents/{consent_id}',
      access: DECIDERS,
      summary: 'Revoke a consent',
      answers: MintedConsentAnswer,
    }),
    async (c) => {
      const revoked = await gate.consents.revoke(c.get('caller'), partOf(c, 'consent_id'))
      return revoked.ok
        ? jsonResponse(200, shownConsent(revoked.value))
        : problemResponse(revoked.problem, c.get('trace'))
    },
  )
}

/** Internal fields are left out. */
export function shownConsent({ shelf: _, ...shown }: ConsentRow): Omit<ConsentRow, 'shelf'> {
  return shown
}
