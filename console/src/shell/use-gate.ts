import { useQuery } from '@tanstack/react-query'
import { pausesQuery } from '../api/queries.ts'
import { connection } from '../api/stream.ts'
import { useStore } from '../lib/store.ts'
import type { Pause } from '../api/types.ts'

/** What is paused now, most first. */
export function usePauses(): readonly Pause[] {
  const { data = [] } = useQuery(pausesQuery)
  return data.filter(({ active }) => active).sort((a, b) => (a.scope === 'all' ? -1 : b.scope === 'all' ? 1 : 0))
}

/** Why deciding is off, or undefined. Old data is never decided on. */
export function useDecidingOff(): string | undefined {
  const { state } = useStore(connection)
  if (state === 'live') return undefined
  return state === 'lost' ? 'Sluice is not responding. You cannot decide until it is back.' : 'Loading what changed.'
}
