import type { CallRequest, Outcome, Call } from '../../kernel/contract/call.ts'
import { Caller } from '../../kernel/contract/caller.ts'
import { RunId } from '../../kernel/contract/ids.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { Bug, problem, specOf, type Problem } from '../../kernel/contract/problems.ts'
import { Effect, type Verdict } from '../../kernel/contract/verdict.ts'
import { consentIn } from '../../kernel/consents/cover-with-consent.ts'
import { isForNow } from '../../kernel/attempt/describe-call.ts'
import { outputText } from '../../kernel/attempt/interpret.ts'
import { sayProblem } from '../../kernel/text/say-problem.ts'
import type { ToolflowWork } from './graph.ts'
import type { CardFact, ToolflowState } from './state.ts'
import { nodeIn, toolflow, type ToolflowNodeEffect } from './step.ts'
import type { Perform, PerformersOf } from '../../kernel/runs/performer.ts'
import { fillArguments, type FillPorts } from './fill-arguments.ts'
import { judgeCall, type JudgeDeps } from '../../kernel/attempt/judge-call.ts'
import { prepareCall, type PrepareDeps } from '../../kernel/attempt/prepare-call.ts'
import { recordUserWords, type RecordUserWordsPorts } from '../../kernel/sessions/record-user-words.ts'
import { readCard } from '../../kernel/catalogue/read-card.ts'
import { searchTools, type SearchPorts } from '../../kernel/catalogue/search-tools.ts'
import { VERDICT_OF_EFFECT, isStale } from '../serenity/api.ts'
import type { GateEvidence } from './toolflow.ts'
import type { Facts } from '../../kernel/decide/facts.ts'
import { riskOf } from '../../kernel/decide/risk-of.ts'

export type ToolflowEffectPorts = PrepareDeps &
  JudgeDeps &
  SearchPorts &
  FillPorts &
  RecordUserWordsPorts & {
    readonly dispatch: (request: CallRequest) => Promise<Outcome>
  }

type Filled = Partial<
  Pick<ToolflowState, 'candidates' | 'card' | 'args' | 'judged' | 'dry_run_result' | 'failure' | 'call'>
>
type Work = (deps: ToolflowEffectPorts, details: JsonObject, step: string) => Promise<Filled | 'later'>

/** The work at each node. */
export function toolflowPerformers(deps: ToolflowEffectPorts): PerformersOf<ToolflowNodeEffect> {
  const perform =
    (work: Work): Perform<ToolflowNodeEffect> =>
    async (effect) => {
      const filled = await work(deps, effect.with, nodeIn(effect))
      return filled === 'later' ? 'later' : { type: 'effect.done', ...(filled as JsonObject) }
    }
  return {
    toolflow_search: perform(WORK.toolflow_search),
    toolflow_card: perform(WORK.toolflow_card),
    toolflow_judge: perform(WORK.toolflow_judge),
    toolflow_dry_run: perform(WORK.toolflow_dry_run),
    toolflow_dispatch: perform(WORK.toolflow_dispatch),
  }
}

const WORK: Readonly<Record<ToolflowWork, Work>> = {
  async toolflow_search(deps, details) {
    const found = await searchTools(deps, callerIn(details), textIn(details, 'query'), Number(details['top_k']))
    return found.ok ? { candidates: found.value } : failed(found.problem)
  },

  async toolflow_card(deps, details) {
    const card = readCard(deps, callerIn(details), textIn(details, 'skill_id'), false)
    if (!card.ok) return failed(card.problem)
    const tool = deps.catalogue.tool(card.value.skill_id)
    if (tool === undefined) return failed(problem('tool.unknown', { tool: card.value.skill_id }))
    const { title, purpose, risk, dry_run_supported } = card.value
    const { args, ...inputs } = await fillArguments(deps, tool, details['args'], textIn(details, 'user_prompt'))
    const fact: CardFact = { title, purpose, risk, dry_run_supported, ...inputs }
    // The caller's own arguments are already in the state, and stay out of the journal, which is permanent.
    const isNew = inputs.required_inputs.length === 0 && args.of !== 'caller'
    return isNew ? { args, card: fact } : { card: fact }
  },

  async toolflow_judge(deps, details, step) {
    const request = requestOf(details, step)
    const { caller, thread, words } = request
    // Recorded before the call is judged. If this fails, the words are recorded with the call itself.
    if (words !== undefined) await recordUserWords(deps, { caller, thread, text: words, id: textIn(details, 'run_id') })
    const prepared = await prepareCall(deps, request, request.thread)
    if (!prepared.ok) return failed(prepared.problem)
    const { call, tool, integrity } = prepared.value
    const { facts, verdict } = await judgeCall(deps, call, tool, { integrity }, {})
    // A dry run spends nothing, so no consent covers one: it is left out instead of causing an ask.
    const dry_run = tool.dry_run !== undefined && (tool.dry_run.effect_free || consentIn(verdict) === undefined)
    return { judged: { evidence: gateEvidence(verdict, call, facts), dry_run } }
  },

  async toolflow_dry_run(deps, details, step) {
    const outcome = await deps.dispatch({ ...requestOf(details, step), dry_run: 'only' })
    if (outcome.status === 'previewed') return { dry_run_result: outputText(outcome.preview).slice(0, LONGEST_SHOWN) }
    return isForNow(outcome) ? 'later' : failed('problem' in outcome ? outcome.problem : problem('call.dry_run_failed'))
  },

  async toolflow_dispatch(deps, details, step) {
    const idempotency_key = `toolflow/${textIn(details, 'run_id')}`
    const outcome = await deps.dispatch({ ...requestOf(details, step), idempotency_key })
    if (isForNow(outcome)) return 'later'
    if (outcome.status === 'previewed') throw new Bug('no preview was requested')
    const reason = 'problem' in outcome ? sayProblem(outcome.problem) : null
    return { call: { call_id: outcome.call_id ?? null, status: outcome.status, reason } }
  },
}

const LONGEST_SHOWN = 2_000

const failed = (found: Problem): Filled => ({
  failure: { code: found.code, says: found.about['says'] ?? found.about['paths'] ?? specOf(found).says },
})

function requestOf(details: JsonObject, step: string): CallRequest & { readonly thread: string } {
  const { args, risk_score, user_prompt } = details
  return {
    caller: callerIn(details),
    tool: textIn(details, 'skill_id'),
    args: args ?? {},
    thread: textIn(details, 'thread'),
    trace: textIn(details, 'trace'),
    // Rows of earlier releases do not have it.
    ...(typeof user_prompt === 'string' ? { words: user_prompt } : {}),
    by_run: {
      run_id: RunId.parse(details['run_id']),
      kind: toolflow.kind,
      step,
      lane: null,
      at_least: Effect.parse(details['at_least']),
      ...(typeof risk_score === 'number' ? { risk_score } : {}),
    },
  }
}

const callerIn = (details: JsonObject): Caller => Caller.parse(details['caller'])

function textIn(details: JsonObject, name: string): string {
  const text = details[name]
  if (typeof text !== 'string') throw new Bug(`the toolflow's work has no ${name}`)
  return text
}

/** The gate's verdict with the numbers behind it. Invents nothing: what is not known is null. */
function gateEvidence(verdict: Verdict, call: Call, { health, now }: Facts): GateEvidence {
  const gate_status = VERDICT_OF_EFFECT[verdict.effect]
  const risk = riskOf(health === 'off' ? 'unknown' : health.risk.score, call)
  const risk_score = risk === 'unknown' ? null : risk
  const none = { gate_status, total_score: null, risk_score, stale_score: null }
  if (health === 'off') return { ...none, source: 'policy' }
  if (health.forced !== undefined) return { ...none, source: 'environment' }
  const { provider, newest, max_age_ms } = health
  if (provider !== undefined && provider.word !== 'no_answer')
    return { ...none, total_score: provider.total_score ?? null, source: provider.source }
  if (newest.is === 'unknown') return { ...none, source: newest.source }
  return { ...none, total_score: newest.score, stale_score: isStale(newest.at, max_age_ms, now), source: newest.source }
}
