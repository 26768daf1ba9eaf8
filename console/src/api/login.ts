import {
  CSRF_HEADER,
  OIDC_CALLBACK,
  type LoginAnswer,
  type LoginHereAnswer,
  type LoginMethodsAnswer,
} from './login-words.ts'
import { storeOf } from '../lib/store.ts'

/** The person who is logged in. */
export type Me = {
  readonly id: string
  readonly kind: string
  readonly user: string
  readonly how: LoginAnswer['how']
  readonly proofs: LoginAnswer['proofs']
}

export type LoginState =
  | { readonly state: 'asking' }
  | { readonly state: 'out'; readonly why?: string }
  /** The browser has a login of somebody who did not log in with this page. `known` did. */
  | { readonly state: 'found'; readonly here: string; readonly known: string | undefined }
  /** Somebody tried to log in as `wanted` while somebody else is logged in. */
  | { readonly state: 'kept'; readonly here: string; readonly wanted: string; readonly issuer?: string }
  | { readonly state: 'in'; readonly me: Me }

export const loginState = storeOf<LoginState>({ state: 'asking' })

/** The CSRF token, sent with every request that changes something. The login itself is a cookie that scripts cannot read. */
let csrf: string | undefined

/**
 * What this page keeps in the browser's storage, which belongs to its origin. The cookie does not: another program on this machine, at
 * another port, can replace it.
 */
const PERSON = 'sluice.person'
const BROWSER = 'sluice.browser'

function stored(name: string, value?: string | null): string | undefined {
  try {
    if (value === null) localStorage.removeItem(name)
    else if (value !== undefined) localStorage.setItem(name, value)
    return localStorage.getItem(name) ?? undefined
  } catch {
    // Storage may be switched off. Then the person is asked whenever the page is opened.
    return undefined
  }
}

/** Reads have the token too, so that none is answered for somebody else if the cookie was replaced while the page is open. */
export function loginHeaders(): Record<string, string> {
  return csrf === undefined ? {} : { [CSRF_HEADER]: csrf }
}

export function forgetLogin(): void {
  csrf = undefined
  loginState.set({ state: 'out' })
}

function remember(answer: LoginAnswer): void {
  csrf = answer.csrf
  stored(PERSON, answer.caller.user)
  loginState.set({ state: 'in', me: { ...answer.caller, how: answer.how, proofs: answer.proofs } })
}

let found: LoginAnswer | undefined

/** Whether somebody is logged in, in this browser. A login that no page of this gate began is not used until the person agrees. */
export async function readLogin(): Promise<void> {
  try {
    // The page preloads this, so that the answer has arrived when the scripts run.
    const answer = await fetch('/v1/login/here', { credentials: 'same-origin' })
    const { login } = answer.ok ? ((await answer.json()) as LoginHereAnswer) : {}
    if (login !== undefined) {
      const known = stored(PERSON)
      if (known === login.caller.user) return remember(login)
      found = login
      csrf = login.csrf
      return loginState.set({ state: 'found', here: login.caller.user, known })
    }
  } catch {
    // Without an answer the page assumes that nobody is logged in.
  }
  forgetLogin()
}

/** The person says that the login which was found is theirs. */
export function acceptFound(): void {
  if (found !== undefined) remember(found)
}

export type LoginMethod = LoginMethodsAnswer['oidc'][number]

/** The issuers that people can log in with; none if the gate does not answer. Logging in with a key is always offered. */
export async function loginMethods(): Promise<readonly LoginMethod[]> {
  try {
    const answer = await fetch('/v1/login/methods', { credentials: 'same-origin', cache: 'no-store' })
    return answer.ok ? ((await answer.json()) as LoginMethodsAnswer).oidc : []
  } catch {
    return []
  }
}

export type LoginFailure = 'wrong' | 'no_person' | 'no_answer' | 'too_many'

async function send(path: string, body: object): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

type Refused = { readonly code?: string; readonly about?: Readonly<Record<string, string>>; readonly detail?: string }

/** Whether somebody else stays logged in; then the page says so. */
function isKept({ code, about = {} }: Refused, issuer?: string): boolean {
  if (code !== 'auth.other_person') return false
  const { here = '', new: wanted = '' } = about
  loginState.set({ state: 'kept', here, wanted, ...(issuer === undefined ? {} : { issuer }) })
  return true
}

/** The key is sent to the gate once and not stored. */
export async function logIn(key: string): Promise<LoginFailure | 'in'> {
  try {
    const answer = await send('/v1/login', { key: key.trim() })
    if (answer.ok) {
      remember((await answer.json()) as LoginAnswer)
      return 'in'
    }
    if (answer.status === 429) return 'too_many'
    if (answer.status === 409 && isKept((await answer.json()) as Refused)) return 'in'
    if (answer.status === 403) return 'no_person'
    return answer.status >= 500 ? 'no_answer' : 'wrong'
  } catch {
    return 'no_answer'
  }
}

const MOST_TRIES = 20
const NO_ANSWER = 'Sluice is not responding. Try again when it is back.'
const inWords = ({ title = NO_ANSWER, about = {}, detail = '' }: Refused & { readonly title?: string }): string =>
  [title, about['why'] ?? '', detail]
    .filter((text) => text !== '')
    .map((text) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`)
    .join(' ')

/** Leaves the page for the issuer. Returns only if that is not possible. */
export async function logInWith(issuer: string): Promise<void> {
  try {
    const browser = stored(BROWSER) ?? stored(BROWSER, newSecret())
    if (browser === undefined) {
      loginState.set({
        state: 'out',
        why: 'Allow this page to store data in your browser: a login with an issuer needs it.',
      })
      return
    }
    const answer = await send('/v1/login/oidc', { issuer, browser })
    if (answer.ok) return location.assign(((await answer.json()) as { readonly url: string }).url)
    loginState.set({ state: 'out', why: inWords((await answer.json()) as Refused) })
  } catch {
    loginState.set({ state: 'out', why: NO_ANSWER })
  }
}

/** Completes a login at the address that the issuer sent this browser back to. */
export async function comeBack(search: string): Promise<void> {
  const fields = ['state', 'code', 'iss', 'error']
  const query = [...new URLSearchParams(search)].filter(([name]) => fields.includes(name))
  const body = { ...Object.fromEntries(query), browser: stored(BROWSER) ?? newSecret() }
  try {
    for (let tries = 0; ; tries += 1) {
      const answer = await send(OIDC_CALLBACK, body)
      if (answer.ok) return remember((await answer.json()) as LoginAnswer)
      const refused = (await answer.json()) as Refused
      if (refused.code === 'auth.logins_busy' && tries < MOST_TRIES) {
        await new Promise((resolve) => setTimeout(resolve, 1_000))
        continue
      }
      const issuer = new URLSearchParams(search).get('state')?.split('.')[0]
      if (!isKept(refused, issuer)) loginState.set({ state: 'out', why: inWords(refused) })
      return
    }
  } catch {
    loginState.set({ state: 'out', why: NO_ANSWER })
  }
}

function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

export async function logOut(everywhere: boolean): Promise<void> {
  try {
    await fetch(everywhere ? '/v1/logins' : '/v1/login', {
      method: 'DELETE',
      credentials: 'same-origin',
      headers: loginHeaders(),
    })
  } finally {
    stored(PERSON, null)
    forgetLogin()
  }
}

/** Ends the login that this browser has, whoever it belongs to, and then logs in with the issuer, if one was used. */
export async function changePerson(issuer: string | undefined): Promise<void> {
  try {
    const answer = await fetch('/v1/login/here', { credentials: 'same-origin', cache: 'no-store' })
    csrf = answer.ok ? ((await answer.json()) as LoginHereAnswer).login?.csrf : undefined
  } catch {
    csrf = undefined
  }
  await logOut(false)
  if (issuer !== undefined) await logInWith(issuer)
}
