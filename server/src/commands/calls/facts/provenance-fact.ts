import type { Call } from '../../../contract/call.ts'
import type { Tool } from '../../../contract/tool.ts'
import type { Facts } from '../../../core/gate/facts.ts'
import { provenanceOf, type Sessions } from '../../provenance/sessions.ts'
import type { Judgement } from './load-judgement.ts'

export type ProvenanceDeps = {
  readonly sessions: Sessions
  readonly judgement: Pick<Judgement, 'servers' | 'provenance'>
}

/** What the session has read, and how closely this tool's calls are judged by it. */
export async function provenanceFact(
  { sessions, judgement }: ProvenanceDeps,
  call: Call,
  { row }: Tool,
): Promise<Pick<Facts, 'provenance' | 'labels'>> {
  const { mode = judgement.provenance.mode, fields = {} } = provenanceOf(judgement, row.server, row.tool_id)
  try {
    const session = await sessions.read(call.caller.user, call.thread)
    const labels = [
      ...(session.user.known ? ['user_words'] : []),
      ...(session.prose ? ['prose'] : []),
      ...(session.asks.length > 0 ? ['requests'] : []),
      ...(session.overflow ? ['overflow'] : []),
      ...new Set(session.origins.flatMap(({ server }) => (server === undefined ? [] : [`from:${server}`]))),
    ]
    return { labels, provenance: mode === 'off' ? 'off' : { session, mode, fields } }
  } catch {
    return { provenance: mode === 'off' ? 'off' : 'unknown' }
  }
}
