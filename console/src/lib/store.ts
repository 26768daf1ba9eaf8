import { useSyncExternalStore } from 'react'

/** A value outside of React that parts of the page follow. */
export type StateStore<T> = {
  get(): T
  set(next: T): void
  follow(listener: () => void): () => void
}

export function storeOf<T>(first: T): StateStore<T> {
  let value = first
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    follow: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

export const useStore = <T>(store: StateStore<T>): T => useSyncExternalStore(store.follow, store.get)
