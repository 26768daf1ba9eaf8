import type { Context } from 'hono'
import {
  ServerLoginAnswer,
  ServerLoginSlotAnswer,
  ServerLoginStatusAnswer,
  ServerLogoutAnswer,
} from '../../contract/answers.ts'
import { LoginBody, LoginReturnBody } from '../../contract/api.ts'
import { PROBLEMS, type Problem } from '../../contract/problems.ts'
import { jsonResponse, problemResponse } from '../entrance/problem.ts'
import type { Door } from './door.ts'
import { page } from './html-page.ts'
import { partOf } from './query.ts'
import { PEOPLE } from './access.ts'
import { declareRoute, route, routeWithBody, type Routes } from './route.ts'

const COOKIE = 'sluice_login_'
const COOKIE_SECONDS = 600

/** Logins at tool servers: started and ended with a key, completed in a browser without one. */
export const serverLoginRoutes: Routes = (app, gate) => {
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/servers/{server}/login',
      access: PEOPLE,
      summary: 'Start a login to a tool server; open `url` in a browser',
      answers: ServerLoginAnswer,
      body: LoginBody,
    }),
    async (c) => {
      const started = await gate.logins.start(c.get('caller'), { server: partOf(c, 'server'), ...c.req.valid('json') })
      return started.ok ? jsonResponse(200, started.value) : problemResponse(started.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'get',
      path: '/v1/servers/{server}/login',
      query: ['shared'],
      access: PEOPLE,
      summary: "Your login to a tool server, or the gate's own (`shared=1`)",
      answers: ServerLoginStatusAnswer,
    }),
    (c) => {
      const status = gate.logins.status(c.get('caller'), whichIn(c))
      return status.ok ? jsonResponse(200, status.value) : problemResponse(status.problem, c.get('trace'))
    },
  )
  app.openapi(
    route({
      method: 'delete',
      path: '/v1/servers/{server}/login',
      query: ['shared'],
      access: PEOPLE,
      summary: 'Log out of a tool server: the tokens are revoked and deleted',
      answers: ServerLogoutAnswer,
    }),
    async (c) => {
      const ended = await gate.logins.end(c.get('caller'), whichIn(c))
      return ended.ok ? jsonResponse(200, ended.value) : problemResponse(ended.problem, c.get('trace'))
    },
  )
  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/v1/servers/{server}/login/finish',
      access: PEOPLE,
      summary: 'Complete a login with the address that the browser was redirected to, if it could not reach the gate',
      body: LoginReturnBody,
      answers: ServerLoginSlotAnswer,
    }),
    async (c) => {
      const { url, shared } = c.req.valid('json')
      const which = { server: partOf(c, 'server'), shared }
      const done = await gate.logins.finishFor(c.get('caller'), which, returnIn(new URL(url).searchParams))
      return done.ok ? jsonResponse(200, done.value) : problemResponse(done.problem, c.get('trace'))
    },
  )

  declareRoute('get', '/oauth/login/{ticket}', 'anyone')
  app.get('/oauth/login/:ticket', (c) => {
    const found = gate.logins.page(c.req.param('ticket'))
    if (!found.ok) return failure(found.problem)
    const { server, user, issuer, scope } = found.value
    const forWhom = user === undefined ? 'for everyone who uses this gate' : `for the user \`${user}\``
    return page(200, `Log in to ${server}`, {
      says: [
        `Sluice wants to use the tool server \`${server}\` ${forWhom}.`,
        `You will be sent to \`${new URL(issuer).host}\` to log in and give your permission.`,
        ...(scope === undefined ? [] : [`It will ask you for: \`${scope}\``]),
        'Continue only if you started this login yourself, or know who did.',
      ],
      link: { text: 'Continue', to: `/oauth/login/${encodeURIComponent(c.req.param('ticket'))}/continue` },
    })
  })

  declareRoute('get', '/oauth/login/{ticket}/continue', 'anyone')
  app.get('/oauth/login/:ticket/continue', (c) => {
    const ticket = c.req.param('ticket')
    const found = gate.logins.page(ticket)
    if (!found.ok) return failure(found.problem)
    const { cookie, authorization_url, secure } = found.value
    const attributes = ['Path=/oauth/callback', 'HttpOnly', 'SameSite=Lax', `Max-Age=${COOKIE_SECONDS}`]
    return new Response(null, {
      status: 302,
      headers: {
        location: authorization_url,
        'set-cookie': [`${COOKIE}${ticket.slice(0, 8)}=${cookie}`, ...attributes, ...(secure ? ['Secure'] : [])].join(
          '; ',
        ),
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    })
  })

  declareRoute('get', '/oauth/callback', 'anyone')
  app.get('/oauth/callback', async (c) => {
    // A HEAD request must not use up the login.
    if (c.req.method === 'HEAD') return page(200, 'Login', { says: [] })
    const cookies = (c.req.header('cookie') ?? '').split(/;\s*/).flatMap((pair) => {
      const at = pair.indexOf('=')
      return pair.startsWith(COOKIE) && at !== -1 ? [pair.slice(at + 1)] : []
    })
    const done = await gate.logins.finish({ ...returnIn(new URL(c.req.url).searchParams), cookies })
    if (!done.ok) return failure(done.problem)
    const { server, user } = done.value
    return page(200, 'Logged in', {
      says: [
        `The gate can now use \`${server}\`${user === undefined ? '' : ` for \`${user}\``}.`,
        'You can close this window.',
      ],
    })
  })
}

const whichIn = (c: Context<Door>) => ({ server: partOf(c, 'server'), shared: c.req.query('shared') === '1' })

function returnIn(query: URLSearchParams) {
  const fields = ['state', 'code', 'iss', 'error'] as const
  return Object.fromEntries(fields.flatMap((name) => (query.get(name) === null ? [] : [[name, query.get(name) ?? '']])))
}

function failure({ code, about }: Problem): Response {
  const { http, says, do: remedy } = PROBLEMS[code]
  const command = about['server'] === undefined ? remedy : remedy.replace('SERVER', about['server'])
  const why = about['why'] === undefined ? [] : [`${about['why']}.`]
  return page(http, 'The login did not succeed', { says: [`${says}.`, ...why, `What to do: ${command}.`] })
}
