import type { Call } from '../../../contract/call.ts'
import type { Tool } from '../../../contract/tool.ts'
import type { Facts } from '../../../core/gate/facts.ts'
import { judgedProvenance } from '../../../core/gate/judge-provenance.ts'
import type { Session } from '../../../core/provenance/session.ts'
import type { YieldWhenDue, MaybePromise } from '../../ports/runtime.ts'
import { inSteps } from '../../in-steps.ts'
import { withResult } from '../../maybe-promise.ts'
import { provenanceOf, type Sessions } from '../../provenance/sessions.ts'
import type { Judgement } from './load-judgement.ts'

export type ProvenanceDeps = {
  readonly sessions: Sessions
  readonly judgement: Pick<Judgement, 'servers' | 'provenance'>
  readonly yieldWhenDue?: YieldWhenDue
}

/** What the session has read, and how strictly this tool's calls are judged by it. */
export function provenanceFact(deps: ProvenanceDeps, call: Call, tool: Tool): MaybePromise<Fact> {
  const { row } = tool
  const { mode = deps.judgement.provenance.mode, fields = {} } = provenanceOf(deps.judgement, row.server, row.tool_id)
  const unknown = (): Fact => ({ provenance: mode === 'off' ? 'off' : 'unknown' })
  try {
    const fact = withResult(deps.sessions.read(call.caller.user, call.thread), (session) => {
      const labels = labelsOf(session)
      if (mode === 'off') return { labels, provenance: mode }
      const judged = inSteps(deps.yieldWhenDue, judgedProvenance({ session, mode }, call, tool))
      return withResult(judged, (judgement): Fact => ({ labels, provenance: { session, mode, fields, judgement } }))
    })
    return fact instanceof Promise ? fact.catch(unknown) : fact
  } catch {
    return unknown()
  }
}

type Fact = Pick<Facts, 'provenance' | 'labels'>

function labelsOf({ user, prose, asks, overflow, servers }: Session): string[] {
  const labels: string[] = []
  if (user.known) labels.push('user_words')
  if (prose) labels.push('prose')
  if (asks.length > 0) labels.push('requests')
  if (overflow) labels.push('overflow')
  for (const server of servers) labels.push(`from:${server}`)
  return labels
}
