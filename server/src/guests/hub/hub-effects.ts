import type { HubReportEffect } from './hub-report.ts'
import type { PerformersOf } from '../../kernel/runs/performer.ts'
import { messageToHub, type MessageDeps } from './message-to-hub.ts'
import { closeWith, processReply, type ProcessReplyDeps } from './process-reply.ts'

export type HubEffectDeps = MessageDeps &
  ProcessReplyDeps & {
    readonly stopping: AbortSignal
    /** There is something new to ask the hub for. */
    readonly wakeHub: () => void
    /** The hub's last answer that was not a confirmation, for messages. */
    readonly hubFault: { get(): string; set(why: string): void }
  }

/** What a node reports to its hub, and what it does if the hub does not answer. */
export function hubPerformers(deps: HubEffectDeps): PerformersOf<HubReportEffect> {
  const done = (outcome: string) => ({ type: 'effect.done', outcome, now: deps.clock() })
  return {
    async tell_hub({ with: report }, { run_id }) {
      // The gate is no longer attached to a hub: there is nobody to report to.
      if (deps.attachedHub === undefined) return done('over')
      const message = await messageToHub(deps, run_id, report)
      if (message === undefined) return done('over')
      deps.probe('hub.sending')
      const sent = await deps.attachedHub.link.send(message)
      deps.probe('hub.sent')
      if (deps.stopping.aborted && sent.is === 'failed') return 'later'
      if (sent.is === 'failed') {
        deps.hubFault.set(sent.why)
        return done('failed')
      }
      for (const reply of sent.replies) await processReply(deps, reply)
      if (report.what === 'request') deps.wakeHub()
      return done('sent')
    },
    async give_up_hub({ with: { approval_id } }) {
      const held = await deps.tables.row('approvals', approval_id)
      if (held?.row.state !== 'pending') return done('over')
      const why = deps.hubFault.get()
      const closed = await closeWith(deps, held, 'hub.unreachable', why, 'gate')
      return closed === 'refused' ? done('over') : 'later'
    },
  }
}
