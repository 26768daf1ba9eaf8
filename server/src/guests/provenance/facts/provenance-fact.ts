import type { Call } from '../../../kernel/contract/call.ts'
import type { ProvenanceMode } from '../provenance.ts'
import type { Tool } from '../../../kernel/contract/tool.ts'
import type { Facts } from '../../../kernel/decide/facts.ts'
import { judgedProvenance } from '../judge-provenance.ts'
import type { ProvenanceFact } from '../provenance-fact.ts'
import type { Session } from '../session.ts'
import type { YieldWhenDue, MaybePromise } from '../../../kernel/ports/runtime.ts'
import { inSteps } from '../../../kernel/ports/in-steps.ts'
import { provenanceOf, type Sessions } from '../../../kernel/sessions/sessions.ts'
import type { Judgement } from '../../../kernel/attempt/facts/load-judgement.ts'

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
