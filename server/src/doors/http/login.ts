import type { Context } from 'hono'
import {
  LoggedOutAnswer,
  LoginAnswer,
  LoginBody,
  LoginHereAnswer,
  LoginMethodsAnswer,
  type LoginRow,
} from '../../contract/login.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Gate } from '../../commands/gate.ts'
import { loginCookie, loginSecret } from '../entrance/login-cookie.ts'
import { jsonResponse, problemResponse } from '../entrance/problem.ts'
import type { App, Door, LoginOptions } from './door.ts'
import { PEOPLE } from './access.ts'
import { route, routeWithBody } from './route.ts'

/** Login at the console: the key is sent once and replaced by a cookie that scripts cannot read. */
export function loginRoutes(app: App, gate: Gate, options: LoginOptions): void {
  app.openapi(
    route({
      method: 'get',
      path: '/v1/login/methods',
      access: 'anyone',
      summary: 'The ways to log in to the console',
      answers: LoginMethodsAnswer,
    }),
    () =>
      jsonResponse(200, {
        key: true,
        oidc: gate.identity.oidc.names.map((name) => ({ name, start: `/v1/login/oidc/${name}` })),
      }),
  )

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/login',
      access: 'anyone',
      summary: 'Log in with the API key of a person; the answer sets a cookie',
      body: LoginBody,
      answers: LoginAnswer,
    }),
    async (c) => {
      const { key } = c.req.valid('json')
      // Wrong keys are counted like those of any other request.
      const header = (name: string) => (name === 'authorization' ? `Bearer ${key}` : undefined)
      const caller = await c.get('authenticate')({ ...c.env, header })
      if (!caller.ok) return problemResponse(caller.problem, c.get('trace'))
      return loggedIn(c, gate, options, caller.value, 'key')
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/login',
      access: PEOPLE,
      summary: 'Who is logged in, and the CSRF token for requests from the page',
      answers: LoginAnswer,
    }),
    async (c) => jsonResponse(200, await described(c, gate, c.get('caller'))),
  )

  app.openapi(
    route({
      method: 'get',
      path: '/v1/login/here',
      access: 'anyone',
      summary: 'Whether somebody is logged in in this browser, and who; being logged out is not an error here',
      answers: LoginHereAnswer,
    }),
    async (c) => {
      const browser = { method: c.req.method }
      const here =
        secretOf(c) === undefined
          ? undefined
          : await c.get('authenticate')({ ...c.env, header: (name) => c.req.header(name), browser })
      const login = here?.ok === true ? { login: await described(c, gate, here.value) } : {}
      return jsonResponse(200, login)
    },
  )

  app.openapi(
    route({
      method: 'delete',
      path: '/v1/login',
      access: PEOPLE,
      summary: 'Log out here',
      answers: LoggedOutAnswer,
    }),
    async (c) => {
      const secret = secretOf(c)
      const ended = secret === undefined ? undefined : await gate.identity.logOut(c.get('caller'), { secret })
      if (ended?.ok === false) return problemResponse(ended.problem, c.get('trace'))
      return withCookie(c, jsonResponse(200, { ended: ended?.value ?? 0 }), undefined, options)
    },
  )

  app.openapi(
    route({
      method: 'delete',
      path: '/v1/logins',
      access: PEOPLE,
      summary: 'Log out everywhere',
      answers: LoggedOutAnswer,
    }),
    async (c) => {
      const ended = await gate.identity.logOut(c.get('caller'), 'all')
      if (!ended.ok) return problemResponse(ended.problem, c.get('trace'))
      return withCookie(c, jsonResponse(200, { ended: ended.value }), undefined, options)
    },
  )
}

/** The caller, with the login that the request's cookie names. */
async function described(c: Context<Door>, gate: Gate, caller: Caller): Promise<LoginAnswer> {
  const secret = secretOf(c)
  const login = secret === undefined ? undefined : await gate.identity.readLogin(secret)
  const row = login?.ok === true ? login.value : undefined
  return gate.identity.describeLogin(caller, secret === undefined || row === undefined ? undefined : { secret, row })
}

/** A bearer credential is used instead of any cookie. */
const secretOf = (c: Context<Door>): string | undefined =>
  c.req.header('authorization') === undefined ? loginSecret((name) => c.req.header(name)) : undefined

export async function loggedIn(
  c: Context<Door>,
  gate: Gate,
  options: LoginOptions,
  caller: Caller,
  how: LoginRow['how'],
): Promise<Response> {
  const login = await gate.identity.logIn(caller, how)
  if (!login.ok) return problemResponse(login.problem, c.get('trace'))
  const { secret, login: row } = login.value
  const said = await gate.identity.describeLogin(caller, { secret, row })
  return withCookie(c, jsonResponse(200, said), secret, options)
}

export function withCookie(
  c: Context<Door>,
  response: Response,
  secret: string | undefined,
  { publicUrl }: LoginOptions,
): Response {
  const host = c.req.header('host')
  const isSecure = publicUrl?.startsWith('https:') === true && URL.parse(publicUrl)?.host === host
  response.headers.append('set-cookie', loginCookie(host, secret, isSecure))
  response.headers.set('cache-control', 'no-store')
  return response
}
