import type { CallSummary, ShownProblem } from '../contract/activity.ts'
import type { CallRow } from '../contract/call.ts'
import { ConsentId } from '../contract/ids.ts'
import type { Json } from '../contract/json.ts'
import { specOf } from '../contract/problems.ts'
import type { Opinion } from '../contract/verdict.ts'
import { shortened, visibleText } from '../contract/visible-text.ts'
import type { MakeSentence } from '../ports/make-sentence.ts'
import { inSteps } from '../ports/in-steps.ts'
import { isUnsettled } from './retry-call.ts'
import type { Catalogue } from '../ports/catalogue.ts'
import type { YieldWhenDue } from '../ports/runtime.ts'
import type { Judgement } from '../decide/judging.ts'

export type SummaryDeps = {
  readonly catalogue: Pick<Catalogue, 'tool'>
  readonly judgement: Pick<Judgement, 'scanner'>
  readonly yieldWhenDue?: YieldWhenDue
  readonly sentence: MakeSentence
}

const LONGEST_NAME = 256

/** One call for a list. Redaction applies to its arguments here too. */
export async function summariseCall(deps: SummaryDeps, row: CallRow): Promise<{ summary: CallSummary; args: string }> {
  const { args } = await deps.judgement.scanner.shownArgs(row.canonical_args)
  const tool = deps.catalogue.tool(row.tool_id)
  const { effect, evidence, observed } = row.verdict
  const decisive = evidence.find((opinion) => opinion.effect === effect) ?? evidence[0]
  const consent_id = consentIn(evidence)
  const isOpen = isUnsettled(row)
  const { by_run } = row
  const summary: CallSummary = {
    call_id: row.call_id,
    tool_id: row.tool_id,
    state: row.state,
    effect,
    ...(observed === undefined ? {} : { observed }),
    sentence: await inSteps(
      deps.yieldWhenDue,
      deps.sentence({ tool_id: row.tool_id, tool, args: JSON.parse(args) as Json }),
    ),
    why: visibleText(decisive?.says ?? ''),
    ...(decisive === undefined ? {} : { rule: visibleText(decisive.rule) }),
    asked_by: row.caller,
    thread: row.thread,
    ...(by_run === undefined
      ? {}
      : { by_run: { run_id: by_run.run_id, kind: by_run.kind, step: cut(by_run.step), lane: by_run.lane } }),
    received_at: row.received_at,
    ...(row.started_at === undefined ? {} : { started_at: row.started_at }),
    ...(row.ended_at === undefined ? {} : { ended_at: row.ended_at }),
    ...(row.approval_id === undefined ? {} : { approval_id: row.approval_id }),
    ...(consent_id === undefined ? {} : { consent_id }),
    ...(row.problem === undefined ? {} : { problem: shownProblem(row.problem) }),
    ...(row.expired_at === undefined ? {} : { expired_at: row.expired_at }),
    ...(isOpen ? { proposed_args: visibleText(args), choices: choicesOf(row) } : {}),
    ...(row.rollback === undefined ? {} : { rollback: visibleText(row.rollback.says) }),
  }
  return { summary, args }
}

/** A retry that is already asked about is not offered again. */
const choicesOf = ({ retry }: CallRow): NonNullable<CallSummary['choices']> =>
  retry === undefined ? ['retry', 'done', 'failed'] : ['done', 'failed']

const cut = (text: string) => shortened(visibleText(text), LONGEST_NAME)

export function shownProblem(problem: NonNullable<CallRow['problem']>): ShownProblem {
  const { code, about } = problem
  const shown = Object.entries(about).map(([name, text]) => [name, visibleText(text)])
  return { code, says: specOf(problem).says, about: Object.fromEntries(shown) as Record<string, string> }
}

/** The consent that allowed a call is the rule of its opinion. */
function consentIn(evidence: readonly Opinion[]): string | undefined {
  const given = evidence.find(({ decider, effect }) => decider === 'consent' && effect === 'allow')
  return given === undefined ? undefined : [given.rule, given.source].find((text) => ConsentId.safeParse(text).success)
}
