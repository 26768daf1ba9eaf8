import type { Origin, Topic, Topics } from '../../kernel/ports/notices.ts'

type Listener = (notice: never, origin: Origin) => void

/** The listeners of one node. A listener that throws does not affect the others. */
export type Listeners = {
  notify<T extends Topic>(topic: T, notice: Topics[T], origin: Origin): void
  subscribe<T extends Topic>(topic: T, listener: (notice: Topics[T], origin: Origin) => void): () => void
  missed(): void
  onMissed(listener: () => void): () => void
}

export function createListeners(): Listeners {
  const topics = new Map<Topic, Set<Listener>>()
  const missing = new Set<() => void>()
  return {
    notify(topic, notice, origin) {
      // Those who subscribe in the meantime get the next one.
      const listeners = topics.get(topic)
      if (listeners === undefined) return
      const present = [...listeners]
      for (const listener of present) quietly(listener, notice as never, origin)
    },
    subscribe(topic, listener) {
      const listeners = topics.get(topic) ?? new Set()
      topics.set(topic, listeners)
      // A separate function, so that one listener can subscribe twice and stop once.
      const subscribed: Listener = (notice, origin) => listener(notice, origin)
      listeners.add(subscribed)
      return () => void listeners.delete(subscribed)
    },
    missed() {
      const present = [...missing]
      for (const listener of present) quietly(listener)
    },
    onMissed(listener) {
      const subscribed = () => listener()
      missing.add(subscribed)
      return () => void missing.delete(subscribed)
    },
  }
}

function quietly<Args extends readonly unknown[]>(listener: (...args: Args) => void, ...args: Args): void {
  try {
    listener(...args)
  } catch {
    // A listener that throws affects neither the others nor the answer of the commit.
  }
}
