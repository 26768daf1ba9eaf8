import { textsInSources } from '../../kernel/sessions/answer-texts.ts'
import { PEOPLE } from '../../adapters/http/access.ts'
import { endpoint, type Endpoint } from '../../adapters/http/endpoint.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { sayDeclaredRead } from '../../kernel/attempt/declared-read.ts'
import { judgedProvenance, originLabel } from './judge-provenance.ts'
import { maySeeCall } from '../../kernel/attempt/read-call.ts'
import type { Catalogue } from '../../kernel/ports/catalogue.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import type { YieldWhenDue } from '../../kernel/ports/runtime.ts'
import { inSteps } from '../../kernel/ports/in-steps.ts'
import type { Sessions } from '../../kernel/ports/sessions.ts'
import { provenanceOf } from './sessions.ts'
import { sourceOf, type ReplyLeaves } from './value-sources.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'
import { z } from 'zod'
import { ValueSource } from '../../kernel/sessions/value-source.ts'

export const endpoints = (k: ExplainPorts): readonly Endpoint[] => [
  endpoint({
    at: 'GET /v1/calls/{call_id}/why',
    access: PEOPLE,
    says: 'Where a call came from: what the user asked for, which other texts ask for it, and the source of each argument',
    query: ['session'],
    answers: WhyAnswer,
    run: (caller, { params }) => explainCall(k, caller, params.call_id),
    reads: ({ call_id, values }) =>
      textsInSources(
        values.flatMap(({ source }) => source ?? []),
        { of_call: call_id },
      ),
  }),
]

type ExplainPorts = {
  readonly tables: Pick<Tables, 'row'>
  readonly catalogue: Pick<Catalogue, 'tool'>
  readonly sessions: Pick<Sessions, 'readUntil'>
  readonly judgement: Pick<Judgement, 'servers' | 'provenance' | 'commandOf'>
  readonly yieldWhenDue: YieldWhenDue
}

const MOST_CONTESTS = 20
const MOST_VALUES = 500

/** The licence, the contests and each argument's source, from the session as it was when the call was made. */
export async function explainCall(deps: ExplainPorts, caller: Caller, call_id: string): Promise<Result<WhyAnswer>> {
  const held = await deps.tables.row('calls', call_id)
  if (held === undefined || !maySeeCall(caller, held.row)) return refuse('call.unknown', { call_id })
  const { row } = held
  const tool = deps.catalogue.tool(row.tool_id)
  if (tool === undefined || row.expired_at !== undefined) return refuse('call.expired', { call_id, state: row.state })
  const { mode = deps.judgement.provenance.mode } = provenanceOf(deps.judgement, row.server, row.tool_id)
  const session = await deps.sessions.readUntil(row.caller, row.thread, row.received_at)
  const { licence, contests, values, reasons } = await inSteps(
    deps.yieldWhenDue,
    judgedProvenance({ session, mode }, row, tool, deps.judgement.commandOf),
  )
  const answers: ReplyLeaves = new Map()
  const shown: WhyAnswer['values'] = []
  for (const value of values.slice(0, MOST_VALUES)) {
    const source = await sourceOf(deps, session, value, answers)
    shown.push({ at: value.path, role: value.role, from: value.from, ...(source === undefined ? {} : { source }) })
  }
  const declared_read = sayDeclaredRead(tool)
  return ok({
    call_id,
    tool_id: row.tool_id,
    ...(declared_read === undefined ? {} : { declared_read }),
    licence: licence.licence,
    user_words: session.user.known,
    contests: contests.slice(0, MOST_CONTESTS).flatMap(({ origin }) => {
      const from = session.origins[origin]
      if (from === undefined) return []
      return [{ label: originLabel(from), time: from.at, ...(from.call === undefined ? {} : { call_id: from.call }) }]
    }),
    values: shown,
    reasons: reasons.map(({ rule, value_at }) => ({ rule, ...(value_at === undefined ? {} : { at: value_at }) })),
  })
}

/** Why provenance asked about a call or did not: what the session knew when the call was made. Contains no argument value. */
const WhyAnswer = z.object({
  call_id: z.string(),
  tool_id: z.string(),
  /** Set if the operator declares that the tool only reads, and says how such a call is recorded. */
  declared_read: z.string().optional(),
  /** How clearly the user's words ask for the action. */
  licence: z.enum(['strong', 'weak', 'plausible', 'none']),
  /** Whether the user's words are known at all. */
  user_words: z.boolean(),
  /** The texts that ask for the action too. */
  contests: z.array(z.object({ label: z.string(), call_id: z.string().optional(), time: z.number() })),
  values: z.array(
    z.object({
      at: z.string(),
      role: z.enum(['destination', 'entity', 'content', 'date', 'amount', 'flag']),
      from: z.enum(['user', 'constant', 'approved', 'data', 'none']),
      source: ValueSource.optional(),
    }),
  ),
  /** The rules that asked, with the argument each is about. */
  reasons: z.array(z.object({ rule: z.string(), at: z.string().optional() })),
})
type WhyAnswer = z.infer<typeof WhyAnswer>
