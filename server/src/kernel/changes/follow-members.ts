import type { LiveCatalogue } from '../catalogue/catalogue.ts'
import type { LivePolicy } from '../policy/live-policy.ts'
import type { Notices } from '../ports/notices.ts'

export type FollowMembersPorts = {
  readonly notices: Notices
  readonly catalogue: Pick<LiveCatalogue, 'refresh' | 'onRefresh'>
  readonly live: Pick<LivePolicy, 'reload'>
  /** All configured servers. */
  readonly servers: readonly string[]
  readonly onFault: (error: unknown) => void
}

/**
 * Keeps this node's memory in sync with the store: tools that another node listed or an operator admitted there, and a policy
 * that was activated there. Returns a function that stops it.
 */
export function followMembers({ notices, catalogue, live, servers, onFault }: FollowMembersPorts): () => void {
  const readAgain = async (server: string, tool_ids?: readonly string[]) => {
    await catalogue.refresh(server, tool_ids, 'elsewhere')
    // Conditions are checked against admitted schemas, and some may be new.
    await live.reload('catalogue')
  }
  catalogue.onRefresh((server, tool_ids, origin) => {
    if (origin === 'here') notices.publish('catalogue', { server, tool_ids })
  })
  const stops = [
    notices.subscribe('catalogue', ({ server, tool_ids }, origin) => {
      if (origin === 'elsewhere') readAgain(server, tool_ids).catch(onFault)
    }),
    notices.subscribe('policy', (_, origin) => {
      if (origin === 'elsewhere') live.reload('node').catch(onFault)
    }),
    notices.onMissed(() => {
      live.reload('node').catch(onFault)
      for (const server of servers) readAgain(server).catch(onFault)
    }),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Wraps the policy so that other nodes are notified when another one is activated here. */
export function announcingPolicy(live: LivePolicy, notices: Pick<Notices, 'publish'>): LivePolicy {
  return {
    ...live,
    async reload(because, by) {
      const reloaded = await live.reload(because, by)
      if (reloaded.ok && reloaded.value.changed && because !== 'node')
        notices.publish('policy', { version: reloaded.value.version })
      return reloaded
    },
  }
}
