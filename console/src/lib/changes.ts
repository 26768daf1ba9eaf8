import { storeOf } from './store.ts'

/** Ids of calls that changed since the activity was read last. */
export const changedCalls = storeOf<ReadonlySet<string>>(new Set())

const MOST = 1_000

export function noteCall(id: unknown): void {
  const seen = changedCalls.get()
  if (typeof id !== 'string' || seen.has(id) || seen.size >= MOST) return
  changedCalls.set(new Set([...seen, id]))
}
