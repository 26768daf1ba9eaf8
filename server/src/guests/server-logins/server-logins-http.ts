import type { Context } from 'hono'
import { z } from 'zod'
import {
  ContinuedLoginAnswer,
  ToolLoginDoneAnswer,
  ServerLoginAnswer,
  ServerLoginSlotAnswer,
  ServerLoginStatusAnswer,
  ServerLogoutAnswer,
} from '../../kernel/contract/answers.ts'
import { LoginBody, LoginReturnBody, ToolLoginReturnBody } from '../../kernel/contract/api.ts'
import { problem, PROBLEMS, type Problem } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import type { Door } from '../../adapters/http/door.ts'
import { page } from '../../adapters/http/html-page.ts'
import { isFromOwnPage, secretOf } from '../../adapters/http/login.ts'
import { partOf } from '../../adapters/http/query.ts'
import { PEOPLE } from '../../adapters/http/access.ts'
import { declareRoute, route, routeWithBody, type Routes } from '../../adapters/http/route.ts'

/**
 * The secret of a login is kept in the storage of the gate's page: unlike a cookie, no page of another port or site can set it. The
 * callback sends all that the browser has, and each counts once.
 */
const STORED = 'sluice.tool-login.'
const MOST_STORED = 20

const CONTINUE = `
const link = document.getElementById('continue')
link.addEventListener('click', async (event) => {
  event.preventDefault()
  const answer = await fetch(link.href, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  const said = await answer.json()
  if (!answer.ok) return void (document.querySelector('main').textContent = said.title + '. ' + said.detail + '.')
  localStorage.setItem('${STORED}' + Date.now(), said.secret)
  location.assign(said.url)
})`

const RETURN = `
const query = new URLSearchParams(location.search)
history.replaceState(null, '', location.pathname)
const names = Object.keys(localStorage).filter((name) => name.startsWith('${STORED}')).sort().reverse()
const secrets = names.slice(0, ${MOST_STORED}).map((name) => localStorage.getItem(name))
for (const name of names.slice(${MOST_STORED})) localStorage.removeItem(name)
const body = { secrets }
for (const name of ['state', 'code', 'iss', 'error']) if (query.has(name)) body[name] = query.get(name)
const main = document.querySelector('main')
const show = (title, says) => {
  document.title = title
  main.replaceChildren(...[title, ...says].map((text, at) => {
    const part = document.createElement(at === 0 ? 'h1' : 'p')
    part.textContent = text
    return part
  }))
}
fetch(location.pathname, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  .then(async (answer) => [answer, await answer.json()])
  .then(([answer, said]) => answer.ok
    ? show(said.title, said.says)
    : show('The login did not succeed', [said.title + '.', said.about.why ?? '', 'What to do: ' + said.detail + '.']))
  .catch(() => show('The login did not succeed', ['The gate does not answer.']))`

const OAUTH_CALLBACK = '/oauth/callback'

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
      script: CONTINUE,
    })
  })

  app.openapi(
    routeWithBody({
      method: 'post',
      path: '/oauth/login/{ticket}/continue',
      access: 'anyone',
      summary:
        "Continue from the gate's page to the authorization server; `secret` proves at the end that it is the same browser",
      body: z.strictObject({}),
      answers: ContinuedLoginAnswer,
    }),
    async (c) => {
      const own = isFromOwnPage(c)
      if (!own.ok) return problemResponse(own.problem, c.get('trace'))
      const found = gate.logins.page(partOf(c, 'ticket'))
      if (!found.ok) return problemResponse(found.problem, c.get('trace'))
      const { user, secret, authorization_url } = found.value
      const cookie = secretOf(c, c.get('login'))
      const here = cookie === undefined ? undefined : await gate.identity.readLogin(cookie, true)
      if (user !== undefined && here?.ok === true && here.value.user !== user)
        return problemResponse(problem('login.other_person', { here: here.value.user, user }), c.get('trace'))
      return jsonResponse(200, { url: authorization_url, secret })
    },
  )

  declareRoute('get', OAUTH_CALLBACK, 'anyone')
  app.get(OAUTH_CALLBACK, () => page(200, 'One moment', { says: ['The login is being completed.'], script: RETURN }))
  app.openapi(
    routeWithBody({
      method: 'post',
      path: OAUTH_CALLBACK,
      access: 'anyone',
      summary: 'Complete a login at a tool server, in the browser that continued it',
      body: ToolLoginReturnBody,
      answers: ToolLoginDoneAnswer,
    }),
    async (c) => {
      const own = isFromOwnPage(c)
      if (!own.ok) return problemResponse(own.problem, c.get('trace'))
      const done = await gate.logins.finish(c.req.valid('json'))
      if (!done.ok) return problemResponse(done.problem, c.get('trace'))
      const { server, user } = done.value
      const forWhom = user === undefined ? '' : ` for ${user}`
      return jsonResponse(200, {
        title: 'Logged in',
        says: [`The gate can now use ${server}${forWhom}.`, 'You can close this window.'],
      })
    },
  )
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
