import type { Caller } from '../../../kernel/contract/caller.ts'
import { ok, refuse, type Result } from '../../../kernel/contract/problems.ts'
import { fairSlots } from '../../../kernel/identity/fair-slots.ts'
import {
  LoggedOutAnswer,
  LoginAnswer,
  LoginBody,
  LoginHereAnswer,
  LoginMethodsAnswer,
  OIDC_CALLBACK,
  OidcReturnBody,
  OidcStartAnswer,
  OidcStartBody,
  type LoginRow,
} from '../../../kernel/identity/login.ts'
import { describeLogin, logIn, logOut, readLogin, type LoginPorts } from '../../../kernel/identity/logins.ts'
import { beginIssuerLogin, ISSUER_SLOTS, logInWithIssuer } from '../../../kernel/identity/oidc-login.ts'
import type { OidcLogins } from '../../../kernel/ports/keys.ts'
import { PEOPLE } from '../access.ts'
import { endpoint, type EndpointInput, type Endpoint } from '../endpoint.ts'
import { isOwnOrigin, loginCookie, loginSecret } from '../login-cookie.ts'
import { jsonResponse, problemResponse } from '../problem.ts'

export type LoginEndpointPorts = LoginPorts & { readonly oidcLogins: OidcLogins }

type Request = Pick<EndpointInput, 'header' | 'door' | 'local' | 'remote' | 'trace'>

/** Login at the console: the key is sent once and replaced by a cookie that scripts cannot read. */
export const loginEndpoints = (k: LoginEndpointPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/login/methods',
    access: 'anyone',
    says: 'The ways to log in to the console',
    answers: LoginMethodsAnswer,
    run: () => ok({ key: true, oidc: k.oidcLogins.names.map((name) => ({ name })) }),
  }),
  endpoint({
    at: 'POST /v1/login',
    access: 'anyone',
    says: 'Log in with the API key of a person; the answer sets a cookie',
    body: LoginBody,
    answers: LoginAnswer,
    run: (_, asked) =>
      answerLogin(k, asked, async () => {
        const { door, local, remote, body } = asked
        // Wrong keys are counted like those of any other request.
        const header = (name: string) => (name === 'authorization' ? `Bearer ${body.key}` : undefined)
        const caller = await door.authenticate({ local, remote, header })
        return caller.ok ? logIn(k, caller.value, 'key', { current: secretOf(asked) }) : caller
      }),
  }),
  endpoint({
    at: 'GET /v1/login',
    access: PEOPLE,
    says: 'Who is logged in, and the CSRF token for requests from the page',
    answers: LoginAnswer,
    run: async (caller, asked) => ok(await described(k, asked, caller)),
  }),
  endpoint({
    at: 'GET /v1/login/here',
    access: 'anyone',
    says: 'Whether somebody is logged in in this browser, and who; being logged out is not an error here',
    answers: LoginHereAnswer,
    async run(_, asked) {
      const { door, local, remote, header } = asked
      const here =
        secretOf(asked) === undefined
          ? undefined
          : await door.authenticate({ local, remote, header, browser: { method: 'GET' } })
      return ok(here?.ok === true ? { login: await described(k, asked, here.value) } : {})
    },
  }),
  endpoint({
    at: 'DELETE /v1/login',
    access: PEOPLE,
    says: 'Log out here',
    answers: LoggedOutAnswer,
    run(caller, asked) {
      const secret = secretOf(asked)
      return secret === undefined ? ok(0) : logOut(k, caller, { secret })
    },
    shows: (ended, asked) => withCookie(asked, jsonResponse(200, { ended }), undefined),
  }),
  endpoint({
    at: 'DELETE /v1/logins',
    access: PEOPLE,
    says: 'Log out everywhere',
    answers: LoggedOutAnswer,
    run: (caller) => logOut(k, caller, 'all'),
    shows: (ended, asked) => withCookie(asked, jsonResponse(200, { ended }), undefined),
  }),
  ...issuerEndpoints(k),
]

/**
 * Login at the console with an OpenID Connect issuer. The console begins it, the browser is redirected to the issuer and back to a page
 * of the console, and that page completes it.
 */
function issuerEndpoints(k: LoginEndpointPorts): readonly Endpoint[] {
  const slots = fairSlots(ISSUER_SLOTS)
  const placeOf = ({ site }: Pick<EndpointInput, 'site'>, browser: string) => ({
    browser,
    redirect_uri: `${site.origin}${OIDC_CALLBACK}`,
  })
  return [
    endpoint({
      at: 'POST /v1/login/oidc',
      access: 'anyone',
      says: 'Begin a login with an issuer: the answer has the address that the browser opens',
      body: OidcStartBody,
      answers: OidcStartAnswer,
      run: (_, asked) => beginIssuerLogin(k, asked.body.issuer, placeOf(asked, asked.body.browser)),
    }),
    endpoint({
      at: `POST ${OIDC_CALLBACK}`,
      access: 'anyone',
      says: 'Complete a login with an issuer, in the browser that began it; the answer sets a cookie',
      body: OidcReturnBody,
      answers: LoginAnswer,
      run(_, asked) {
        const { browser, ...back } = asked.body
        const from = { address: asked.remote, current: secretOf(asked) }
        return answerLogin(k, asked, () => logInWithIssuer(k, slots, { ...placeOf(asked, browser), ...from, back }))
      },
    }),
  ]
}

/** The caller, with the login that the request's cookie names. */
async function described(k: LoginEndpointPorts, asked: Request, caller: Caller): Promise<LoginAnswer> {
  const secret = secretOf(asked)
  const login = secret === undefined ? undefined : await readLogin(k, secret)
  const row = login?.ok === true ? login.value : undefined
  return describeLogin(k, caller, secret === undefined || row === undefined ? undefined : { secret, row })
}

/** A bearer credential is used instead of any cookie. */
export const secretOf = ({ header, door }: Request): string | undefined =>
  header('authorization') === undefined ? loginSecret(header, door.login.publicUrl) : undefined

/** Pages of somebody else must not log anybody in. */
export const isFromOwnPage = ({ header }: Request): Result<void> =>
  isOwnOrigin(header) ? ok(undefined) : refuse('auth.csrf')

async function answerLogin(
  k: LoginEndpointPorts,
  asked: Request,
  begin: () => Promise<Result<{ readonly secret: string; readonly login: LoginRow }>>,
): Promise<Response> {
  const own = isFromOwnPage(asked)
  if (!own.ok) return problemResponse(own.problem, asked.trace)
  const begun = await begin()
  if (!begun.ok) return problemResponse(begun.problem, asked.trace)
  const { secret, login: row } = begun.value
  const said = await describeLogin(k, row.caller, { secret, row })
  return withCookie(asked, jsonResponse(200, said), secret)
}

function withCookie({ header, door }: Request, response: Response, secret: string | undefined): Response {
  response.headers.append('set-cookie', loginCookie(header('host'), secret, door.login.publicUrl))
  response.headers.set('cache-control', 'no-store')
  return response
}
