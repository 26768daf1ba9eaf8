import type { AttachedHub } from './ports.ts'
import { reportEarlier, type ReportDeps } from './report-to-hub.ts'
import { processReply, type ProcessReplyDeps } from './process-reply.ts'

export type FollowDeps = ProcessReplyDeps & ReportDeps & { readonly onFault: (error: unknown) => void }

const MOST_ASKED = 500

/** Processes the hub's decisions as long as the gate runs. `wake`: a request was sent. */
export async function followHub(deps: FollowDeps, hub: AttachedHub): Promise<{ wake(): void; stop(): Promise<void> }> {
  await reportEarlier(deps)
  return hub.link.follow({
    async pending() {
      try {
        const held = await deps.tables.list('approvals', { state: 'pending' }, { limit: MOST_ASKED })
        return held.map(({ row }) => row.approval_id)
      } catch (error) {
        deps.onFault(error)
        return []
      }
    },
    async take(reply) {
      try {
        return (await processReply(deps, reply)) === 'taken'
      } catch (error) {
        deps.onFault(error)
        return false
      }
    },
  })
}
