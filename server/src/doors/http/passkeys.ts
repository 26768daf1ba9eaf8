import type { Context } from 'hono'
import { z } from 'zod'
import type { Site } from '../../commands/ports/keys.ts'
import type { Gate } from '../../commands/gate.ts'
import { PacketDigest } from '../../contract/approval.ts'
import { PasskeyAnswer, PasskeyBody, PasskeyOptions } from '../../contract/passkey.ts'
import type { Result } from '../../contract/problems.ts'
import { jsonResponse, problemResponse } from '../entrance/problem.ts'
import type { App, Door } from './door.ts'
import type { LoginOptions } from './login.ts'
import { partOf } from './query.ts'
import { ADMINS, DECIDERS } from './access.ts'
import { route, routeWithBody } from './route.ts'

/** Passkeys of approvers: the browser asks for a fingerprint or PIN, and the gate verifies the signature. */
export function passkeyRoutes(app: App, gate: Gate, options: LoginOptions): void {
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
    async (c) => answer(await gate.identity.passkeys.creation(c.get('caller'), siteOf(c, options)), c.get('trace')),
  )
  app.openapi(
    route({
      method: 'post',
      path: '/v1/passkeys/proof',
      access: DECIDERS,
      summary: 'The options for `navigator.credentials.get`, to confirm who adds another passkey',
      answers: PasskeyOptions,
    }),
    async (c) => answer(await gate.identity.passkeys.request(c.get('caller'), siteOf(c, options)), c.get('trace')),
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
        await gate.identity.passkeys.add(c.get('caller'), c.req.valid('json'), siteOf(c, options)),
        c.get('trace'),
      ),
  )
  app.openapi(
    route({
      method: 'delete',
      path: '/v1/passkeys/{passkey_id}',
      access: ADMINS,
      summary: 'Remove the passkey of someone who has lost it',
      answers: PasskeyAnswer,
    }),
    async (c) => answer(await gate.identity.passkeys.remove(c.get('caller'), partOf(c, 'passkey_id')), c.get('trace')),
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
      return answer(await gate.identity.passkeys.request(c.get('caller'), siteOf(c, options), about), c.get('trace'))
    },
  )
}

/** The origin of the page, from the host name of the request, which was already checked. */
export function siteOf(c: Context<Door>, { publicUrl }: LoginOptions): Site {
  const host = c.req.header('host')?.toLowerCase() ?? ''
  const url = publicUrl === undefined ? undefined : URL.parse(publicUrl)
  const scheme = url?.host === host ? url.protocol : 'http:'
  return { origin: `${scheme}//${host}`, host: host.replace(/:\d+$/, '') }
}

const answer = (result: Result<object>, trace: string): Response =>
  result.ok ? jsonResponse(200, result.value) : problemResponse(result.problem, trace)
