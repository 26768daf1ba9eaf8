import type { CallLife, CallMoment } from '../../kernel/contract/activity.ts'
import type { ApprovalRow, ApprovalState } from '../../kernel/contract/approval.ts'
import type { CallRow } from '../../kernel/contract/call.ts'
import { DECIDING_KINDS, type Caller } from '../../kernel/contract/caller.ts'
import { ok, refuse, specOf, type Result } from '../../kernel/contract/problems.ts'
import type { Effect, Opinion, Strength } from '../../kernel/contract/verdict.ts'
import { visibleText } from '../../kernel/contract/visible-text.ts'
import { asCalled } from '../../kernel/decide/as-called.ts'
import { answerText } from '../../kernel/sessions/answer-texts.ts'
import type { AnswerText } from '../../kernel/sessions/enter-session.ts'
import { riskInWords } from '../../kernel/approvals/packet-words.ts'
import { maySeeCall } from '../../kernel/attempt/read-call.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'
import type { Tables } from '../../kernel/ports/reads.ts'
import { summariseCall, type SummaryDeps } from '../../kernel/attempt/summarise-call.ts'

export type LifePorts = SummaryDeps & { readonly tables: Tables; readonly judgement: Pick<Judgement, 'commandOf'> }

/** An edit replaces a request with a new one; nobody edits one this often. */
const MOST_REQUESTS = 50

/** A call from its request to its end, in one answer. */
export async function readLife(deps: LifePorts, caller: Caller, call_id: string): Promise<Result<CallLife>> {
  const held = await deps.tables.row('calls', call_id)
  if (held === undefined || !maySeeCall(caller, held.row)) return refuse('call.unknown', { call_id })
  const { row } = held
  const tool = deps.catalogue.tool(row.tool_id)
  const { summary } = await summariseCall(deps, row)
  const { args, hidden } = await deps.judgement.scanner.shownArgs(row.canonical_args)
  const requests = await requestsOf(deps.tables, row)
  // A program learns the outcome of its call, not who decided it.
  const isPerson = DECIDING_KINDS.includes(caller.kind) || caller.kind === 'user'
  return ok({
    ...summary,
    risk: riskInWords(tool && asCalled(deps.judgement, tool, row), row.verdict.evidence),
    verdict: row.verdict,
    policy_version: row.policy_version,
    definition_hash: row.definition_hash,
    args_hash: row.args_hash,
    trace: row.trace,
    ...(row.expired_at === undefined ? { arguments: visibleText(args) } : {}),
    hidden: hidden.map(({ at, type, length }) => ({ at, type, length })),
    ...(row.result === undefined ? {} : { result: { ...row.result, content: [...row.result.content] } }),
    ...(row.output === undefined ? {} : { output: row.output }),
    moments: momentsOf(row, requests).map(({ by, ...moment }) =>
      isPerson && by !== undefined ? { ...moment, by } : moment,
    ),
  })
}

/** The requests of a call, oldest first. */
async function requestsOf(tables: Tables, { approval_id }: CallRow): Promise<readonly ApprovalRow[]> {
  const requests: ApprovalRow[] = []
  for (let id = approval_id; id !== undefined && requests.length < MOST_REQUESTS;) {
    const found = await tables.row('approvals', id)
    if (found === undefined) break
    requests.unshift(found.row)
    id = found.row.replaces
  }
  return requests
}

function momentsOf(row: CallRow, requests: readonly ApprovalRow[]): CallMoment[] {
  const [first] = requests
  const verdict = { at: row.verdict.evidence[0]?.at ?? row.received_at, ...row.verdict }
  const isAgain = first !== undefined && verdict.at > first.created_at
  const earlier =
    first === undefined ? verdict : { at: first.created_at, effect: 'ask' as const, evidence: first.evidence }
  const moments: (CallMoment | undefined)[] = [
    { at: row.received_at, is: 'asked', by: row.caller.id, says: 'The call was made.' },
    judgedAs(earlier, ''),
    ...requests.flatMap((request) => requestMoments(request)),
    isAgain ? judgedAs(verdict, 'Checked again: ') : undefined,
    row.started_at === undefined
      ? undefined
      : { at: row.started_at, is: 'started', says: 'It was recorded, then sent to the tool server.' },
    row.evidence?.check === undefined
      ? undefined
      : { at: row.evidence.check.at, is: 'checked', says: visibleText(row.evidence.check.says) },
    row.ended_at === undefined ? undefined : { at: row.ended_at, is: 'ended', says: endingOf(row) },
    row.evidence?.verify === undefined
      ? undefined
      : { at: row.evidence.verify.at, is: 'read_back', says: visibleText(row.evidence.verify.says) },
    row.settled === undefined
      ? undefined
      : { at: row.settled.at, is: 'settled', by: row.settled.by, says: SETTLED[row.settled.as] },
    row.expired_at === undefined
      ? undefined
      : { at: row.expired_at, is: 'erased', says: 'Its arguments and outputs were deleted.' },
  ]
  return moments.filter((moment) => moment !== undefined).toSorted((a, b) => a.at - b.at)
}

type JudgedMoment = { readonly at: number; readonly effect: Effect; readonly evidence: readonly Opinion[] }

function judgedAs({ at, effect, evidence }: JudgedMoment, again: string): CallMoment {
  const why = evidence.filter((opinion) => opinion.effect === effect).map(({ says }) => visibleText(says))
  return {
    at,
    is: 'judged',
    says: `${again}${JUDGED[effect]}${why.length === 0 ? '' : `, because ${why.join('; ')}`}.`,
  }
}

const JUDGED = { allow: 'Allowed', ask: 'Needs approval', block: 'Blocked' } as const satisfies Record<Effect, string>
const NEEDS = {
  simple: 'It needs approval.',
  strong: 'It needs a strong approval.',
  two_person: 'It needs the approval of two people.',
} as const satisfies Record<Strength, string>
const HOW = { role: '', token: ' with a token', hub: ' at the hub' } as const
const SETTLED = {
  done: 'It was recorded that it ran.',
  failed: 'It was recorded that it did not run.',
  retry: 'A retry was requested.',
} as const

function requestMoments({
  approval_id,
  created_at,
  decisions,
  state,
  strength,
  expires_at,
  retries,
}: ApprovalRow): CallMoment[] {
  const said = decisions.map((decision, index): CallMoment => {
    const { at, by, says } = decision
    const isFirst = strength === 'two_person' && says === 'approve' && index === 0
    const reason = decision.reason === undefined || decision.reason === '' ? '' : `: “${visibleText(decision.reason)}”`
    const is = says === 'deny' ? 'denied' : isFirst ? 'seconded' : 'approved'
    const proof =
      decision.passkey === undefined ? (decision.passphrase === true ? ', with a passphrase' : '') : ', with a passkey'
    return { at, is, by, says: `${WORDS[is]}${HOW[decision.how]}${proof}${reason === '' ? '.' : reason}`, approval_id }
  })
  const end = ENDS[state]
  const last = Math.max(created_at, ...decisions.map(({ at }) => at))
  return [
    {
      at: created_at,
      is: 'held',
      ...(retries === undefined ? {} : { by: retries.ordered_by }),
      says: `${retries === undefined ? '' : 'A retry was requested. '}${NEEDS[strength]}`,
      approval_id,
    },
    ...said,
    ...(end === undefined ? [] : [{ at: state === 'expired' ? expires_at : last, ...end, approval_id }]),
  ]
}

const WORDS = { denied: 'Denied', seconded: 'First of two approvals', approved: 'Approved' } as const

const ENDS: Partial<Record<ApprovalState, Pick<CallMoment, 'is' | 'says'>>> = {
  edited: { is: 'edited', says: 'The arguments were edited: a new request replaced this one.' },
  expired: { is: 'expired', says: 'Nobody decided in time.' },
  withdrawn: { is: 'withdrawn', says: 'It was withdrawn.' },
  stale: { is: 'stale', says: 'The call or the policy changed after the approval, so it did not run.' },
}

function endingOf({ state, problem }: CallRow): string {
  const why = problem === undefined ? '' : `: ${specOf(problem).says}`
  if (state === 'executed') return 'It ran.'
  if (state === 'failed') return `It failed${why}.`
  if (state === 'refused') return `It did not run${why}.`
  return `It is not known whether it ran${why}.`
}

/** The parts of it that somebody other than the reader wrote. */
export function textsInLife({
  call_id,
  result,
  moments,
}: Pick<CallLife, 'call_id' | 'result' | 'moments'>): readonly AnswerText[] {
  const read = moments.filter(({ is }) => is === 'checked' || is === 'read_back')
  const said = read.flatMap(({ says }) => answerText('a read-back', says, { of_call: call_id }))
  return [...(result === undefined ? [] : [{ call: call_id }]), ...said]
}
