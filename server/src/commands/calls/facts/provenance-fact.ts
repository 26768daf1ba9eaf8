import type { Call } from '../../../contract/call.ts'
import type { ProvenanceMode } from '../../../contract/provenance.ts'
import type { Tool } from '../../../contract/tool.ts'
import type { Facts } from '../../../core/gate/facts.ts'
import { judgedProvenance } from '../../../core/gate/judge-provenance.ts'
import type { ProvenanceFact } from '../../../core/provenance/provenance-fact.ts'
import type { Session } from '../../../core/provenance/session.ts'
import type { YieldWhenDue, MaybePromise } from '../../ports/runtime.ts'
import { inSteps } from '../../in-steps.ts'
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
  const { mode = deps.judgement.provenance.mode, fields = NO_FIELDS } = provenanceOf(
    deps.judgement,
    row.server,
    row.tool_id,
  )
  try {
    const session = deps.sessions.read(call.caller, call.thread)
    const fact =
      session instanceof Promise
        ? session.then((read) => factIn(deps, call, tool, mode, fields, read))
        : factIn(deps, call, tool, mode, fields, session)
    return fact instanceof Promise ? fact.catch(() => unknownIn(mode)) : fact
  } catch {
    return unknownIn(mode)
  }
}

const NO_FIELDS: ProvenanceFact['fields'] = {}
const unknownIn = (mode: ProvenanceMode): Fact => ({ provenance: mode === 'off' ? 'off' : 'unknown' })

function factIn(
  { yieldWhenDue }: ProvenanceDeps,
  call: Call,
  tool: Tool,
  mode: ProvenanceMode,
  fields: ProvenanceFact['fields'],
  session: Session,
): MaybePromise<Fact> {
  const labels = labelsOf(session)
  if (mode === 'off') return { labels, provenance: mode }
  const judgement = inSteps(yieldWhenDue, judgedProvenance({ session, mode }, call, tool))
  return judgement instanceof Promise
    ? judgement.then((judged): Fact => ({ labels, provenance: { session, mode, fields, judgement: judged } }))
    : { labels, provenance: { session, mode, fields, judgement } }
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
