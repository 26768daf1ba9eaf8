import { session, type Me } from '../api/session.ts'
import { useStore } from '../lib/store.ts'

export function useMe(): Me | undefined {
  const state = useStore(session)
  return state.state === 'in' ? state.me : undefined
}
