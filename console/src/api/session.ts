import { CSRF_HEADER, type LoginAnswer, type LoginHereAnswer, type LoginMethodsAnswer } from './login-words.ts'
import { storeOf } from '../lib/store.ts'

/** The person who is logged in. */
export type Me = {
  readonly id: string
  readonly kind: string
  readonly user: string
  readonly how: LoginAnswer['how']
  readonly proofs: LoginAnswer['proofs']
}

export type Session =
  { readonly state: 'asking' } | { readonly state: 'out' } | { readonly state: 'in'; readonly me: Me }

export const session = storeOf<Session>({ state: 'asking' })

/** The CSRF token, sent with every request that changes something. The login itself is a cookie that scripts cannot read. */
let csrf: string | undefined

export function sessionHeaders(method: string): Record<string, string> {
  return method === 'GET' || csrf === undefined ? {} : { [CSRF_HEADER]: csrf }
}

export function forgetSession(): void {
  csrf = undefined
  session.set({ state: 'out' })
}

function remember(answer: LoginAnswer): void {
  csrf = answer.csrf
  session.set({ state: 'in', me: { ...answer.caller, how: answer.how, proofs: answer.proofs } })
}

/** Whether somebody is logged in, in this browser. */
export async function readSession(): Promise<void> {
  try {
    // The page preloads this, so that the answer has arrived when the scripts run.
    const answer = await fetch('/v1/login/here', { credentials: 'same-origin' })
    const { login } = answer.ok ? ((await answer.json()) as LoginHereAnswer) : {}
    if (login !== undefined) return remember(login)
  } catch {
    // Without an answer the page assumes that nobody is logged in.
  }
  forgetSession()
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

/** The key is sent to the gate once and not stored. */
export async function logIn(key: string): Promise<LoginFailure | 'in'> {
  let answer: Response
  try {
    answer = await fetch('/v1/login', {
      method: 'POST',
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: key.trim() }),
    })
  } catch {
    return 'no_answer'
  }
  if (answer.status === 429) return 'too_many'
  if (answer.status === 403) return 'no_person'
  if (!answer.ok) return answer.status >= 500 ? 'no_answer' : 'wrong'
  remember((await answer.json()) as LoginAnswer)
  return 'in'
}

export async function logOut(everywhere: boolean): Promise<void> {
  try {
    await fetch(everywhere ? '/v1/logins' : '/v1/login', {
      method: 'DELETE',
      credentials: 'same-origin',
      headers: sessionHeaders('DELETE'),
    })
  } finally {
    forgetSession()
  }
}
