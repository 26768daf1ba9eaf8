import { ok } from '../../kernel/contract/problems.ts'
import type { Judging, FactsPorts } from '../../kernel/decide/judging.ts'
import { judgeProvenanceOf, judgedProvenance } from './judge-provenance.ts'
import { valueSources } from './value-sources.ts'
import { openSessions, provenanceOf } from './sessions.ts'
import type { Call } from '../../kernel/contract/call.ts'
import type { ProvenanceMode } from './provenance.ts'
import type { Tool } from '../../kernel/contract/tool.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import type { ProvenanceFact } from './provenance-fact.ts'
import type { Session } from './session.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import { inSteps } from '../../kernel/ports/in-steps.ts'
import { withResult } from '../../kernel/ports/maybe-promise.ts'

/** What the session has read, in words for the policy. Undefined if it cannot be read. */
function labelsFact({ sessions }: FactsPorts, call: Call): MaybePromise<readonly string[] | undefined> {
  try {
    const session = sessions.read(call.caller, call.thread)
    return session instanceof Promise ? session.then(labelsOf, () => undefined) : labelsOf(session)
  } catch {
    return undefined
  }
}

/** How strictly this tool's calls are judged by what the session has read. */
function provenanceFact(deps: FactsPorts, call: Call, tool: Tool): MaybePromise<Facts['provenance']> {
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
  { judgement: { commandOf }, yieldWhenDue }: FactsPorts,
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

export const judging: Judging = {
  openSessions,
  settings: ({ provenance }) => ok({ provenance }),
  facts: [
    { name: 'labels', gather: labelsFact },
    { name: 'provenance', gather: provenanceFact, neutral: 'off' },
  ],
  deciders: [{ name: 'provenance', rank: 130, judge: judgeProvenanceOf }],
  sourcesOf: valueSources,
}
