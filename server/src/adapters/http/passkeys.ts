import { z } from 'zod'
import type { Gate } from '../../main/gate.ts'
import { PacketDigest } from '../../kernel/contract/approval.ts'
import { GrantToConfirm, PasskeyAnswer, PasskeyBody, PasskeyOptions } from '../../kernel/identity/passkey.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import type { App } from './door.ts'
import { digestOfGrant, siteOf } from './proof.ts'
import { partOf } from './query.ts'
import { ADMINS, DECIDERS } from './access.ts'
import { route, routeWithBody } from './route.ts'

/** Passkeys of approvers: the browser asks for a fingerprint or PIN, and the gate verifies the signature. */
export function passkeyRoutes(app: App, gate: Gate): void {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/passkeys',
      access: DECIDERS,
      summary: 'Your passkeys',
      answers: z.object({ items: z.array(PasskeyAnswer) }),
    }),
    async (c) => jsonResponse(200, { items: await gate.identity.passkeys.list(c.get('caller')) }),
  )
  app.openapi(
    route({
      method: 'post',
      path: '/v1/passkeys/options',
      access: DECIDERS,
      summary: 'The options for `navigator.credentials.create`, to create a passkey',
      answers: PasskeyOptions,
    }),
    async (c) =>
      answer(await gate.identity.passkeys.creation(c.get('caller'), siteOf(c, c.get('login'))), c.get('trace')),
  )
  app.openapi(
    route({
      method: 'post',
      path: '/v1/passkeys/proof',
      access: DECIDERS,
      summary: 'The options for `navigator.credentials.get`, to confirm who adds another passkey',
      answers: PasskeyOptions,
    }),
    async (c) =>
      answer(await gate.identity.passkeys.request(c.get('caller'), siteOf(c, c.get('login'))), c.get('trace')),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/passkeys/grant',
      access: DECIDERS,
      summary: 'The options for `navigator.credentials.get`, to confirm exactly this request, which gives permission',
      body: GrantToConfirm,
      answers: PasskeyOptions,
    }),
    async (c) => {
      const { method, path, body } = c.req.valid('json')
      const about = { grant: digestOfGrant({ method, path, body: body as JsonObject }) }
      return answer(
        await gate.identity.passkeys.request(c.get('caller'), siteOf(c, c.get('login')), about),
        c.get('trace'),
      )
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/passkeys',
      access: DECIDERS,
      summary: 'Add a passkey; if you already have a passphrase or a passkey, you confirm with it',
      body: PasskeyBody,
      answers: PasskeyAnswer,
    }),
    async (c) =>
      answer(
        await gate.identity.passkeys.add(c.get('caller'), c.req.valid('json'), siteOf(c, c.get('login'))),
        c.get('trace'),
      ),
  )
  app.openapi(
    route({
      method: 'delete',
      path: '/v1/passkeys/{passkey_id}',
      access: ADMINS,
      summary: 'Remove the passkey of someone who has lost it; the body contains only your proof, if you have one',
      grants: true,
      answers: PasskeyAnswer,
    }),
    async (c) =>
      answer(
        await gate.identity.passkeys.remove(c.get('caller'), partOf(c, 'passkey_id'), c.get('proof')),
        c.get('trace'),
      ),
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/approvals/{approval_id}/passkey',
      access: DECIDERS,
      summary: 'The options for `navigator.credentials.get`, to approve exactly this request as it was shown',
      body: z.strictObject({ digest: PacketDigest }),
      answers: PasskeyOptions,
    }),
    async (c) => {
      const about = { approval_id: partOf(c, 'approval_id'), digest: c.req.valid('json').digest }
      return answer(
        await gate.identity.passkeys.request(c.get('caller'), siteOf(c, c.get('login')), about),
        c.get('trace'),
      )
    },
  )
}

const answer = (result: Result<object>, trace: string): Response =>
  result.ok ? jsonResponse(200, result.value) : problemResponse(result.problem, trace)
