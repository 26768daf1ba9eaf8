import { z } from 'zod'
import {
  ContinuedLoginAnswer,
  ServerLoginAnswer,
  ServerLoginSlotAnswer,
  ServerLoginStatusAnswer,
  ServerLogoutAnswer,
  ToolLoginDoneAnswer,
} from './login-answers.ts'
import { LoginBody, LoginReturnBody, ToolLoginReturnBody } from '../../kernel/contract/api.ts'
import { ok, specOf, type Problem } from '../../kernel/contract/problems.ts'
import { readLogin, type LoginPorts } from '../../kernel/identity/logins.ts'
import { PEOPLE } from '../../adapters/http/access.ts'
import { endpoint, type EndpointInput, type Endpoint } from '../../adapters/http/endpoint.ts'
import { isFromOwnPage, secretOf } from '../../adapters/http/endpoints/login.ts'
import { page } from '../../adapters/http/html-page.ts'
import { loginUse, type LoginsPorts } from './log-in.ts'
import { refuse } from './problems.ts'

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
  .catch(() => show('The login did not succeed', ['Sluice is not responding.']))`

const OAUTH_CALLBACK = '/oauth/callback'

export type ServerLoginPorts = LoginsPorts & LoginPorts

/** Logins at tool servers: started and ended with a key, completed in a browser without one. */
export function endpoints(k: ServerLoginPorts): readonly Endpoint[] {
  const logins = loginUse(k)
  return [
    endpoint({
      at: 'POST /v1/servers/{server}/login',
      access: PEOPLE,
      says: 'Start a login to a tool server; open `url` in a browser',
      body: LoginBody,
      answers: ServerLoginAnswer,
      run: (caller, { params, body }) => logins.start(caller, { server: params.server, ...body }),
    }),
    endpoint({
      at: 'GET /v1/servers/{server}/login',
      access: PEOPLE,
      says: "Your login to a tool server, or the gate's own (`shared=1`)",
      query: ['shared'],
      answers: ServerLoginStatusAnswer,
      run: (caller, asked) => logins.status(caller, whichIn(asked)),
    }),
    endpoint({
      at: 'DELETE /v1/servers/{server}/login',
      access: PEOPLE,
      says: 'Log out of a tool server: the tokens are revoked and deleted',
      query: ['shared'],
      answers: ServerLogoutAnswer,
      run: (caller, asked) => logins.end(caller, whichIn(asked)),
    }),
    endpoint({
      at: 'POST /v1/servers/{server}/login/finish',
      access: PEOPLE,
      says: 'Complete a login with the address that the browser was redirected to, if it could not reach the gate',
      body: LoginReturnBody,
      answers: ServerLoginSlotAnswer,
      run: (caller, { params: { server }, body: { url, shared } }) =>
        logins.finishFor(caller, { server, shared }, returnIn(new URL(url).searchParams)),
    }),
    endpoint({
      at: 'GET /oauth/login/{ticket}',
      access: 'anyone',
      says: 'The page from which a login continues',
      undocumented: true,
      run(_, { params: { ticket } }) {
        const found = logins.page(ticket)
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
          link: { text: 'Continue', to: `/oauth/login/${encodeURIComponent(ticket)}/continue` },
          script: CONTINUE,
        })
      },
    }),
    endpoint({
      at: 'POST /oauth/login/{ticket}/continue',
      access: 'anyone',
      says: "Continue from the gate's page to the authorization server; `secret` proves at the end that it is the same browser",
      body: z.strictObject({}),
      answers: ContinuedLoginAnswer,
      async run(_, asked) {
        const own = isFromOwnPage(asked)
        if (!own.ok) return own
        const found = logins.page(asked.params.ticket)
        if (!found.ok) return found
        const { user, secret, authorization_url } = found.value
        const cookie = secretOf(asked)
        const here = cookie === undefined ? undefined : await readLogin(k, cookie, true)
        if (user !== undefined && here?.ok === true && here.value.user !== user)
          return refuse('login.other_person', { here: here.value.user, user })
        return ok({ url: authorization_url, secret })
      },
    }),
    endpoint({
      at: `GET ${OAUTH_CALLBACK}`,
      access: 'anyone',
      says: 'The page to which an authorization server sends the browser back',
      undocumented: true,
      run: () => page(200, 'One moment', { says: ['The login is being completed.'], script: RETURN }),
    }),
    endpoint({
      at: `POST ${OAUTH_CALLBACK}`,
      access: 'anyone',
      says: 'Complete a login at a tool server, in the browser that continued it',
      body: ToolLoginReturnBody,
      answers: ToolLoginDoneAnswer,
      async run(_, asked) {
        const own = isFromOwnPage(asked)
        return own.ok ? logins.finish(asked.body) : own
      },
      shows({ server, user }) {
        const forWhom = user === undefined ? '' : ` for ${user}`
        return {
          title: 'Logged in',
          says: [`The gate can now use ${server}${forWhom}.`, 'You can close this window.'],
        }
      },
    }),
  ]
}

const whichIn = ({ params, query }: Pick<EndpointInput<'server', undefined, 'shared'>, 'params' | 'query'>) => ({
  server: params.server,
  shared: query.shared === '1',
})

function returnIn(query: URLSearchParams) {
  const fields = ['state', 'code', 'iss', 'error'] as const
  return Object.fromEntries(fields.flatMap((name) => (query.get(name) === null ? [] : [[name, query.get(name) ?? '']])))
}

function failure(found: Problem): Response {
  const { about } = found
  const { http, says, do: remedy } = specOf(found)
  const command = about['server'] === undefined ? remedy : remedy.replace('SERVER', about['server'])
  const why = about['why'] === undefined ? [] : [`${about['why']}.`]
  return page(http, 'The login did not succeed', { says: [`${says}.`, ...why, `What to do: ${command}.`] })
}
