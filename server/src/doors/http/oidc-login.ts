import type { Context } from 'hono'
import { z } from 'zod'
import type { Gate } from '../../commands/gate.ts'
import { PROBLEMS, problem, type Problem } from '../../contract/problems.ts'
import { problemResponse } from '../entrance/problem.ts'
import type { App, Door, LoginOptions } from './door.ts'
import { page } from './html-page.ts'
import { withCookie } from './login.ts'
import { siteOf } from './proof.ts'
import { partOf } from './query.ts'
import { declareRoute } from './route.ts'

const START = '/v1/login/oidc/{issuer}'
const CALLBACK = '/v1/login/oidc/callback'
const KEPT_SECONDS = 600

const Attempt = z.strictObject({
  name: z.string().max(32),
  state: z.string().max(100),
  nonce: z.string().max(100),
  verifier: z.string().max(100),
})

/** Login at the console with an OpenID Connect issuer: the browser is redirected there and back. */
export function oidcLoginRoutes(app: App, gate: Gate, options: LoginOptions): void {
  const redirectUri = (c: Context<Door>) => `${siteOf(c, options).origin}${CALLBACK}`

  declareRoute('get', CALLBACK, 'anyone')
  app.get(CALLBACK, async (c) => {
    // A HEAD request must not use up the login.
    if (c.req.method === 'HEAD') return page(200, 'Log in', { says: [] })
    const attempt = attemptIn(c)
    if (attempt === undefined)
      return failure(
        c,
        options,
        problem('auth.login_failed', { why: 'this browser did not begin it, or it took longer than ten minutes' }),
      )
    const caller = await gate.identity.oidc.finish(attempt, returnIn(c), redirectUri(c))
    if (!caller.ok) return failure(c, options, caller.problem)
    const login = await gate.identity.logIn(caller.value, 'oidc')
    if (!login.ok) return failure(c, options, login.problem)
    const onward = new Response(null, { status: 303, headers: { location: '/', 'referrer-policy': 'no-referrer' } })
    return forgetting(c, options, withCookie(c, onward, login.value.secret, options))
  })

  declareRoute('get', START, 'anyone')
  app.get(START.replace('{issuer}', ':issuer'), async (c) => {
    const issuer = partOf(c, 'issuer')
    if (!gate.identity.oidc.names.includes(issuer))
      return problemResponse(problem('route.unknown', { path: c.req.path }), c.get('trace'))
    const begun = await gate.identity.oidc.begin(issuer, redirectUri(c))
    if (!begun.ok) return failure(c, options, begun.problem)
    const kept = Buffer.from(JSON.stringify(begun.value.attempt)).toString('base64url')
    return new Response(null, {
      status: 302,
      headers: {
        location: begun.value.url,
        'set-cookie': cookie(c, options, kept, KEPT_SECONDS),
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      },
    })
  })
}

/** Cookies are shared between ports, so each gate on a machine uses its own cookie name. */
const cookieName = (c: Context<Door>) => `sluice_oidc_${/:(\d+)$/.exec(c.req.header('host') ?? '')?.[1] ?? '0'}`

/** `Lax`, because the issuer redirects the browser back here. It gives no access; it only identifies the login that this browser started. */
function cookie(c: Context<Door>, options: LoginOptions, value: string, age: number): string {
  const secure = siteOf(c, options).origin.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(c)}=${value}; Path=/v1/login/oidc; HttpOnly; SameSite=Lax; Max-Age=${age}${secure}`
}

/** If the cookie is present twice, somebody else may have set one, so both are ignored. */
function attemptIn(c: Context<Door>): z.infer<typeof Attempt> | undefined {
  const found = (c.req.header('cookie') ?? '').split(/;\s*/).filter((pair) => pair.startsWith(`${cookieName(c)}=`))
  const [pair] = found
  if (pair === undefined || found.length > 1) return undefined
  try {
    const text = Buffer.from(pair.slice(pair.indexOf('=') + 1), 'base64url').toString('utf8')
    return Attempt.safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}

function returnIn(c: Context<Door>) {
  const query = new URL(c.req.url).searchParams
  const fields = ['state', 'code', 'iss', 'error'] as const
  return Object.fromEntries(fields.flatMap((name) => (query.get(name) === null ? [] : [[name, query.get(name) ?? '']])))
}

function forgetting(c: Context<Door>, options: LoginOptions, response: Response): Response {
  response.headers.append('set-cookie', cookie(c, options, '', 0))
  return response
}

function failure(c: Context<Door>, options: LoginOptions, { code, about }: Problem): Response {
  const { http, says, do: remedy } = PROBLEMS[code]
  const why = about['why'] === undefined ? [] : [`${about['why']}.`]
  const answer = page(http, 'You are not logged in', {
    says: [`${says}.`, ...why, `What to do: ${remedy}.`],
    link: { text: 'Back to the login', to: '/' },
  })
  return forgetting(c, options, answer)
}
