import { loginState } from '../api/login.ts'
import { useStore } from './store.ts'

/** Who may do what, as the gate's routes say: what somebody may not do is not offered, and no request is made for it. */
const ABILITIES = {
  decide: { kinds: ['approver', 'admin'], words: 'an approver or an admin' },
  oversee: { kinds: ['approver', 'reviewer', 'admin'], words: 'an approver, a reviewer or an admin' },
  administer: { kinds: ['admin'], words: 'an admin' },
  read_policy: { kinds: ['user', 'approver', 'admin'], words: 'a user, an approver or an admin' },
} as const satisfies Record<string, { readonly kinds: readonly string[]; readonly words: string }>

export type Ability = keyof typeof ABILITIES

export const isAble = (kind: string | undefined, what: Ability | undefined): boolean =>
  what === undefined || (kind !== undefined && ABILITIES[what].kinds.some((able) => able === kind))

export function useMay(what: Ability): boolean {
  const state = useStore(loginState)
  return state.state === 'in' && isAble(state.me.kind, what)
}

/** Whose key is needed. */
export const whoMay = (what: Ability): string => ABILITIES[what].words
