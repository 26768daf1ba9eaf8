import { storeOf } from '../lib/store.ts'

/** Who is at the screen, as the gate says it. */
export type Me = {
  readonly id: string
  readonly kind: string
  readonly user: string
  readonly proofs?: { readonly passphrase: boolean; readonly passkeys: number; readonly needed: boolean }
}

export type Session =
  { readonly state: 'asking' } | { readonly state: 'out' } | { readonly state: 'in'; readonly me?: Me }

export const session = storeOf<Session>({ state: 'out' })

/** INVARIANT: a key is kept in memory only; nothing of the page, its address or its storage ever holds it. */
let key: string | undefined

export function sessionHeaders(_method: string): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` }
}

export function forgetSession(): void {
  key = undefined
  session.set({ state: 'out' })
}

export async function logIn(words: string): Promise<'in' | 'wrong' | 'no_answer' | 'too_many'> {
  let answer: Response
  try {
    answer = await fetch('/v1/pauses', { headers: { authorization: `Bearer ${words.trim()}` }, cache: 'no-store' })
  } catch {
    return 'no_answer'
  }
  if (answer.status === 429) return 'too_many'
  if (!answer.ok) return 'wrong'
  key = words.trim()
  session.set({ state: 'in' })
  return 'in'
}
