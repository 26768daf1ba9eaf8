import type { Notices, Origin, Topic, Topics } from '../commands/ports/notices.ts'

/** The nodes of one process, which is one node in the product. Several can be joined, as several databases' clients would be. */
export type LocalNodes = { join(): Notices & { leave(): void } }

type Listener = (notice: never, origin: Origin) => void

/** Notices among nodes of one process: told at once, in memory. Nothing can be missed. */
export function localNodes(): LocalNodes {
  const nodes = new Set<Map<Topic, Set<Listener>>>()
  return {
    join() {
      const own = new Map<Topic, Set<Listener>>()
      nodes.add(own)
      return {
        publish(topic, notice) {
          tell(own, topic, notice, 'here')
          for (const node of nodes) if (node !== own) tell(node, topic, notice, 'elsewhere')
        },
        subscribe(topic, listener) {
          const listeners = own.get(topic) ?? new Set()
          own.set(topic, listeners)
          // A function of its own, so that one listener can subscribe twice and stop once.
          const told: Listener = (notice, origin) => listener(notice, origin)
          listeners.add(told)
          return () => void listeners.delete(told)
        },
        onMissed: () => () => {},
        leave: () => void nodes.delete(own),
      }
    },
  }
}

function tell<T extends Topic>(node: Map<Topic, Set<Listener>>, topic: T, notice: Topics[T], origin: Origin): void {
  const listeners = node.get(topic)
  if (listeners === undefined || listeners.size === 0) return
  // Those who subscribe meanwhile hear the next one.
  const present = [...listeners]
  for (const listener of present) {
    try {
      listener(notice as never, origin)
    } catch {
      // A listener that cannot hear keeps neither the others from hearing nor the commit from its answer.
    }
  }
}
