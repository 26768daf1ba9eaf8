import type { Call } from '../../../contract/call.ts'
import type { Tool } from '../../../contract/tool.ts'
import type { Facts } from '../../../core/gate/facts.ts'
import { judgedProvenance } from '../../../core/gate/judge-provenance.ts'
import type { Breathe } from '../../ports/runtime.ts'
import { inSteps } from '../../in-steps.ts'
import { provenanceOf, type Sessions } from '../../provenance/sessions.ts'
import type { Judgement } from './load-judgement.ts'

export type ProvenanceDeps = {
  readonly sessions: Sessions
  readonly judgement: Pick<Judgement, 'servers' | 'provenance'>
  readonly breathe?: Breathe
}

/** What the session has read, and how closely this tool's calls are judged by it. */
export async function provenanceFact(
  { sessions, judgement, breathe }: ProvenanceDeps,
  call: Call,
  tool: Tool,
): Promise<Pick<Facts, 'provenance' | 'labels'>> {
  const { row } = tool
  const { mode = judgement.provenance.mode, fields = {} } = provenanceOf(judgement, row.server, row.tool_id)
  try {
    const session = await sessions.read(call.caller.user, call.thread)
    const labels = [
      ...(session.user.known ? ['user_words'] : []),
      ...(session.prose ? ['prose'] : []),
      ...(session.asks.length > 0 ? ['requests'] : []),
      ...(session.overflow ? ['overflow'] : []),
      ...[...session.servers].map((server) => `from:${server}`),
    ]
    if (mode === 'off') return { labels, provenance: 'off' }
    const judged = await inSteps(breathe, judgedProvenance({ session, mode }, call, tool))
    return { labels, provenance: { session, mode, fields, judgement: judged } }
  } catch {
    return { provenance: mode === 'off' ? 'off' : 'unknown' }
  }
}
