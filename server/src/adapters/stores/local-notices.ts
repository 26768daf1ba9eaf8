import type { Notices } from '../../kernel/ports/notices.ts'
import { createListeners, type Listeners } from './listeners.ts'

/** The nodes of one process, which is one node in production. Several can be joined, like several clients of a database. */
export type LocalMembers = { join(): Notices & { leave(): void } }

/** Notices among nodes of one process: delivered immediately, in memory. Nothing can be missed. */
export function localMembers(): LocalMembers {
  const nodes = new Set<Listeners>()
  return {
    join() {
      const own = createListeners()
      nodes.add(own)
      return {
        publish(topic, notice) {
          own.notify(topic, notice, 'here')
          for (const node of nodes) if (node !== own) node.notify(topic, notice, 'elsewhere')
        },
        subscribe: (topic, listener) => own.subscribe(topic, listener),
        onMissed: (listener) => own.onMissed(listener),
        leave: () => void nodes.delete(own),
      }
    },
  }
}
