import type { Context } from 'hono'
import type { Gate } from '../../main/gate.ts'
import {
  LoginAnswer,
  OIDC_CALLBACK,
  OidcReturnBody,
  OidcStartAnswer,
  OidcStartBody,
} from '../../kernel/identity/login.ts'
import { jsonResponse, problemResponse } from './problem.ts'
import type { App, Door, LoginOptions } from './door.ts'
import { answerLogin, secretOf } from './login.ts'
import { siteOf } from './proof.ts'
import { routeWithBody } from './route.ts'

/**
 * Login at the console with an OpenID Connect issuer. The console begins it, the browser is redirected to the issuer and back to a page
 * of the console, and that page completes it.
 */
export function oidcLoginRoutes(app: App, gate: Gate, options: LoginOptions): void {
  const redirectUri = (c: Context<Door>) => `${siteOf(c, options).origin}${OIDC_CALLBACK}`

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/login/oidc',
      access: 'anyone',
      summary: 'Begin a login with an issuer: the answer has the address that the browser opens',
      body: OidcStartBody,
      answers: OidcStartAnswer,
    }),
    async (c) => {
      const { issuer, browser } = c.req.valid('json')
      const begun = await gate.identity.oidc.begin(issuer, { browser, redirect_uri: redirectUri(c) })
      return begun.ok ? jsonResponse(200, begun.value) : problemResponse(begun.problem, c.get('trace'))
    },
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: OIDC_CALLBACK,
      access: 'anyone',
      summary: 'Complete a login with an issuer, in the browser that began it; the answer sets a cookie',
      body: OidcReturnBody,
      answers: LoginAnswer,
    }),
    async (c) => {
      const { browser, ...back } = c.req.valid('json')
      const place = { browser, redirect_uri: redirectUri(c) }
      const from = { address: c.env.remote, current: secretOf(c, options) }
      return answerLogin(c, gate, options, () => gate.identity.oidc.logIn({ ...place, ...from, back }))
    },
  )
}
