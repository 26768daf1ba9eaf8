import { CSRF_HEADER, type LoginAnswer, type LoginMethodsAnswer } from './login-words.ts'
import { storeOf } from '../lib/store.ts'

/** Who is at the screen, as the gate says it. */
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

/** Repeated in every request that changes something. The log-in itself is a cookie that no script can read. */
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

/** Whether somebody is logged in already, in this browser. */
export async function readSession(): Promise<void> {
  try {
    // The page's head asks for this already (`preload`), so the answer is there when the scripts are.
    const answer = await fetch('/v1/login', { credentials: 'same-origin' })
    if (answer.ok) return remember((await answer.json()) as LoginAnswer)
  } catch {
    // Without an answer nobody is logged in as far as the page knows.
  }
  forgetSession()
}

export type LoginMethod = LoginMethodsAnswer['oidc'][number]

/** The issuers that people can log in with. None when the gate does not answer: the key is always there. */
export async function loginMethods(): Promise<readonly LoginMethod[]> {
  try {
    const answer = await fetch('/v1/login/methods', { credentials: 'same-origin', cache: 'no-store' })
    return answer.ok ? ((await answer.json()) as LoginMethodsAnswer).oidc : []
  } catch {
    return []
  }
}

export type LoginFailure = 'wrong' | 'no_person' | 'no_answer' | 'too_many'

/** The key goes to the gate once and is kept nowhere. */
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
