import type { Context } from 'hono'
import {
  LoggedOutAnswer,
  LoginAnswer,
  LoginBody,
  LoginHereAnswer,
  LoginMethodsAnswer,
} from '../../kernel/identity/login.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Gate } from '../../main/gate.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { isOwnOrigin, loginCookie, loginSecret } from './login-cookie.ts'
import { jsonResponse, problemResponse } from './problem.ts'
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
        oidc: gate.identity.oidc.names.map((name) => ({ name })),
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
      return answerLogin(c, gate, options, async () => {
        // Wrong keys are counted like those of any other request.
        const header = (name: string) => (name === 'authorization' ? `Bearer ${key}` : undefined)
        const caller = await c.get('authenticate')({ ...c.env, header })
        return caller.ok ? gate.identity.logIn(caller.value, 'key', { current: secretOf(c, options) }) : caller
      })
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
    async (c) => jsonResponse(200, await described(c, gate, options, c.get('caller'))),
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
        secretOf(c, options) === undefined
          ? undefined
          : await c.get('authenticate')({ ...c.env, header: (name) => c.req.header(name), browser })
      const login = here?.ok === true ? { login: await described(c, gate, options, here.value) } : {}
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
      const secret = secretOf(c, options)
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
async function described(c: Context<Door>, gate: Gate, options: LoginOptions, caller: Caller): Promise<LoginAnswer> {
  const secret = secretOf(c, options)
  const login = secret === undefined ? undefined : await gate.identity.readLogin(secret)
  const row = login?.ok === true ? login.value : undefined
  return gate.identity.describeLogin(caller, secret === undefined || row === undefined ? undefined : { secret, row })
}

/** A bearer credential is used instead of any cookie. */
export const secretOf = (c: Context<Door>, { publicUrl }: LoginOptions): string | undefined =>
  c.req.header('authorization') === undefined ? loginSecret((name) => c.req.header(name), publicUrl) : undefined

/** Pages of somebody else must not log anybody in. */
export const isFromOwnPage = (c: Context<Door>): Result<void> =>
  isOwnOrigin((name) => c.req.header(name)) ? ok(undefined) : refuse('auth.csrf')

export async function answerLogin(
  c: Context<Door>,
  gate: Gate,
  options: LoginOptions,
  logIn: () => ReturnType<Gate['identity']['logIn']>,
): Promise<Response> {
  const own = isFromOwnPage(c)
  if (!own.ok) return problemResponse(own.problem, c.get('trace'))
  const begun = await logIn()
  if (!begun.ok) return problemResponse(begun.problem, c.get('trace'))
  const { secret, login: row } = begun.value
  const said = await gate.identity.describeLogin(row.caller, { secret, row })
  return withCookie(c, jsonResponse(200, said), secret, options)
}

function withCookie(
  c: Context<Door>,
  response: Response,
  secret: string | undefined,
  { publicUrl }: LoginOptions,
): Response {
  response.headers.append('set-cookie', loginCookie(c.req.header('host'), secret, publicUrl))
  response.headers.set('cache-control', 'no-store')
  return response
}
