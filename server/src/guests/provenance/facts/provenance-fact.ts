import type { Call } from '../../../kernel/contract/call.ts'
import type { ProvenanceMode } from '../provenance.ts'
import type { Tool } from '../../../kernel/contract/tool.ts'
import type { Facts } from '../../../kernel/decide/facts.ts'
import { judgedProvenance } from '../judge-provenance.ts'
import type { ProvenanceFact } from '../provenance-fact.ts'
import type { Session } from '../session.ts'
import type { MaybePromise } from '../../../kernel/ports/runtime.ts'
import { inSteps } from '../../../kernel/ports/in-steps.ts'
import { provenanceOf } from '../sessions.ts'
import { withResult } from '../../../kernel/ports/maybe-promise.ts'
import type { FactsDeps } from '../../../kernel/decide/judging.ts'

/** What the session has read, in words for the policy. Undefined if it cannot be read. */
export function labelsFact({ sessions }: FactsDeps, call: Call): MaybePromise<readonly string[] | undefined> {
  try {
    const session = sessions.read(call.caller, call.thread)
    return session instanceof Promise ? session.then(labelsOf, () => undefined) : labelsOf(session)
  } catch {
    return undefined
  }
}

/** How strictly this tool's calls are judged by what the session has read. */
export function provenanceFact(deps: FactsDeps, call: Call, tool: Tool): MaybePromise<Facts['provenance']> {
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
const unknownIn = (mode: ProvenanceMode) => (mode === 'off' ? 'off' : 'unknown')

function factIn(
  { judgement: { commandOf }, yieldWhenDue }: FactsDeps,
  call: Call,
  tool: Tool,
  mode: ProvenanceMode,
  fields: ProvenanceFact['fields'],
  session: Session,
): MaybePromise<Facts['provenance']> {
  if (mode === 'off') return mode
  const judgement = inSteps(yieldWhenDue, judgedProvenance({ session, mode }, call, tool, commandOf))
  return withResult(judgement, (judged) => ({ session, mode, fields, judgement: judged }))
}

function labelsOf({ user, prose, asks, overflow, servers }: Session): string[] {
  const labels: string[] = []
  if (user.known) labels.push('user_words')
  if (prose) labels.push('prose')
  if (asks.length > 0) labels.push('requests')
  if (overflow) labels.push('overflow')
  for (const server of servers) labels.push(`from:${server}`)
  return labels
}
