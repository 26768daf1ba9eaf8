import { loginState, type Me } from '../api/login.ts'
import { useStore } from '../lib/store.ts'

export function useMe(): Me | undefined {
  const state = useStore(loginState)
  return state.state === 'in' ? state.me : undefined
}
