import { MOST_TRIES, type LastToolResult } from './agent.ts'
import type { CallRequest, Outcome, ToolResult } from '../../kernel/contract/call.ts'
import { Caller } from '../../kernel/contract/caller.ts'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { Bug, specOf, type Problem } from '../../kernel/contract/problems.ts'
import { failedResult } from './moves.ts'
import {
  ANSWER_INSTRUCTIONS,
  INTENT_INSTRUCTIONS,
  PLAN_INSTRUCTIONS,
  planIn,
  PROPOSE_INSTRUCTIONS,
  SUMMARY_INSTRUCTIONS,
  toSummarise,
  turnOf,
  turnsOf,
} from './prompts.ts'
import { actingCaller, type AgentState } from './state.ts'
import type { AgentFound, AgentNodeEffect } from './step.ts'
import { isForNow, describeCall, type Links } from '../../kernel/attempt/describe-call.ts'
import { outputText } from '../../kernel/attempt/interpret.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import { titleOf } from '../../kernel/catalogue/card.ts'
import { sayProblem } from '../../kernel/text/say-problem.ts'
import { takesToken, type TokenPorts } from '../../kernel/approvals/tokens.ts'
import type { CallListeners } from '../../kernel/ports/upstream.ts'
import type { ModelOutput, ModelPurpose, ModelQuestion, ModelRole, ModelUsage } from '../models/api.ts'
import type { Digest } from '../../kernel/ports/runtime.ts'
import type { Perform, Performing, PerformersOf } from '../../kernel/runs/performer.ts'
import { askWithin, ownPrompts, type AskingPorts } from '../workflows/api.ts'
import type { AgentReply } from './outgoing-answers.ts'
import { replyToRoom } from './reply-to-room.ts'
import { byThread, documentOf, type ThreadDocumentPorts, stateOf, type ThreadPorts } from './threads.ts'
import { offeredTools, proposalOf, toolsFor, type ProposalPorts } from './propose-call.ts'

export type AgentEffectPorts = ThreadPorts &
  ProposalPorts &
  ThreadDocumentPorts &
  TokenPorts &
  AskingPorts & {
    readonly digest: Digest
    readonly links: Links
    readonly dispatch: (request: CallRequest, live?: CallListeners) => Promise<Outcome>
  }

type Work = (deps: AgentEffectPorts, state: AgentState, performing: Performing) => Promise<AgentFound | 'later'>

/** The work at each node. The thread's own row contains everything that the work needs. */
export function agentPerformers(deps: AgentEffectPorts): PerformersOf<AgentNodeEffect | AgentReply> {
  const perform =
    (work: Work): Perform<AgentNodeEffect> =>
    async (_, performing) => {
      const row = (await deps.tables.row('runs', performing.run_id))?.row
      if (row === undefined) throw new Bug(`the run \`${performing.run_id}\` no longer exists`)
      const found = await work(deps, stateOf(row), performing)
      return found === 'later' ? 'later' : { type: 'effect.done', at: deps.clock(), ...(found as JsonObject) }
    }
  return {
    agent_intent: perform(findIntent),
    agent_plan: perform(makePlan),
    agent_propose: perform(proposeCall),
    agent_call: perform(makeCall),
    agent_outcome: perform(readOutcome),
    agent_answer: perform(writeAnswer),
    agent_reply: replyToRoom(deps),
  }
}

const findIntent: Work = async (deps, state, performing) => {
  const said = await ask(deps, state, performing, {
    role: 'planner',
    purpose: 'intent',
    instructions: INTENT_INSTRUCTIONS,
    messages: turnsOf(state),
  })
  if (said === 'later') return 'later'
  if ('failed' in said) return failure(said)
  const intent = /\bCONVERSATION\b/i.test(said.text) && !/\bTASK\b/i.test(said.text) ? 'conversation' : 'task'
  return { intent, usage: said.usage }
}

const makePlan: Work = async (deps, state, performing) => {
  const message = state.turn?.text ?? ''
  const tools = (await toolsFor(deps, state, [message])).map((tool) => `${tool.row.tool_id}: ${titleOf(tool)}`)
  const said = await ask(deps, state, performing, {
    role: 'planner',
    purpose: 'plan',
    instructions: `${PLAN_INSTRUCTIONS}\n\nTools, as JSON:\n${JSON.stringify(tools)}`,
    messages: turnsOf(state),
  })
  if (said === 'later') return 'later'
  if ('failed' in said) return failure(said)
  const plan = planIn(said.text)
  return { usage: said.usage, ...(plan === undefined ? {} : { plan }) }
}

const proposeCall: Work = async (deps, state, performing) => {
  const { plan, current_step } = state
  const tools = await offeredTools(deps, state)
  const steps = (plan ?? []).map((step, index) => ({ step: index + 1, says: step, status: state.step_status[index] }))
  const now = `The plan, as JSON:\n${JSON.stringify(steps)}\nCarry out step ${current_step + 1}.`
  const said = await ask(deps, state, performing, {
    role: 'executor',
    purpose: 'propose',
    instructions: `${PROPOSE_INSTRUCTIONS}\n\n${now}`,
    messages: turnsOf(state),
    tools,
  })
  if (said === 'later') return 'later'
  if ('failed' in said) return failure(said)
  return { usage: said.usage, ...(await proposalOf(deps, state, tools, said)) }
}

/**
 * Canonicalized and hashed when it was proposed; compared again with what is about to be sent. The words that it is judged by were recorded
 * with each message, as those of its sender: another one may act by now.
 */
const makeCall: Work = async (deps, state, { signal }) => {
  const { proposed_tool: tool, run_id, works, current_step } = state
  if (tool === null) throw new Bug('there is no call to make')
  const canonical = canonicalJson(tool.args)
  const isSame =
    canonical.ok && canonical.value === tool.canonical_args && deps.digest(canonical.value) === tool.args_hash
  if (!isSame) return { integrity: 'mismatch', verdict: { effect: 'block', why: 'integrity mismatch' } }
  const request: CallRequest = {
    caller: callerOf(state),
    tool: tool.name,
    args: tool.args,
    claimed: { canonical: tool.canonical_args, hash: tool.args_hash },
    thread: state.thread_id,
    trace: state.trace,
    idempotency_key: `agent/${run_id}/${works}`,
    by_run: { ...byThread(state), step: `step ${current_step + 1}` },
  }
  const outcome = await deps.dispatch(request, { signal })
  return isForNow(outcome) ? 'later' : foundIn(deps, outcome)
}

const readOutcome: Work = async (deps, state) => {
  const call_id = state.call?.call_id ?? ''
  const row = (await deps.tables.row('calls', call_id))?.row
  if (row === undefined) throw new Bug("the thread's call no longer exists")
  return foundIn(deps, describeCall(row, deps.links))
}

const writeAnswer: Work = async (deps, state, performing) => {
  let length = 0
  const said = await ask(deps, state, performing, {
    role: 'finalizer',
    purpose: 'answer',
    instructions: ANSWER_INSTRUCTIONS,
    messages: turnsOf(state),
    onText(text) {
      performing.emit({ text, offset: length })
      length += text.length
    },
  })
  if (said === 'later') return 'later'
  if ('failed' in said) return failure(said)
  const notice = deps.models.notice === undefined ? '' : `\n\n(${deps.models.notice})`
  const { text } = said
  return { text: `${text}${notice}`, usage: said.usage, ...(await summarised(deps, state, performing, said.usage)) }
}

/** Summarizes old turns to make room. If that fails they are kept until they no longer fit. */
async function summarised(
  deps: AgentEffectPorts,
  state: AgentState,
  performing: Performing,
  used: ModelUsage,
): Promise<AgentFound> {
  const of = toSummarise(state)
  if (of === 0) return {}
  const old = state.messages.slice(0, of).map(turnOf)
  const before = state.summary === null ? '' : `Before that: ${JSON.stringify(state.summary)}\n`
  const text = `${before}${JSON.stringify(old)}`.slice(0, state.settings.context_chars)
  const said = await ask(deps, state, performing, {
    role: 'finalizer',
    purpose: 'summary',
    instructions: SUMMARY_INSTRUCTIONS,
    messages: [{ role: 'user', text }],
  })
  if (said === 'later' || 'failed' in said) return {}
  return { summary: { text: said.text.slice(0, LONGEST_SUMMARY), of }, usage: sum(used, said.usage) }
}

const LONGEST_SUMMARY = 4_000

const sum = (one: ModelUsage, other: ModelUsage): ModelUsage => ({
  model_calls: one.model_calls + other.model_calls,
  input_tokens: one.input_tokens + other.input_tokens,
  output_tokens: one.output_tokens + other.output_tokens,
  cost: one.cost + other.cost,
})

type Asked = Pick<ModelQuestion, 'instructions' | 'messages' | 'tools' | 'onText'> & {
  readonly role: ModelRole
  readonly purpose: ModelPurpose
}

type Failed = { readonly failed: string; readonly code?: string; readonly usage?: ModelUsage }

/** In a thread of a document, its prompts follow those of the gate, and its limits apply. */
async function ask(
  deps: AgentEffectPorts,
  state: AgentState,
  { signal }: Performing,
  asked: Asked,
): Promise<ModelOutput | Failed | 'later'> {
  const results = state.messages.filter(({ role }) => role === 'tool').map(({ text }) => text)
  const message = state.messages.findLast(({ role }) => role === 'user')?.text ?? ''
  const tries = Math.min(state.tries[state.current_step] ?? 0, MOST_TRIES)
  const question = { ...asked, script: { message, step: state.current_step, tries, results }, signal }
  const opened = await documentOf(deps, state)
  if (opened === undefined) return deps.models.ask(question)
  const instructions = [asked.instructions, ...ownPrompts(opened.document)].join('\n\n')
  const said = await askWithin(deps, opened, { ...question, instructions })
  if (said === 'later' || !('over' in said)) return said
  const { over, usage } = said
  const failed = `a limit of the document is reached: ${over}`
  return { failed, code: 'limit_exceeded', ...(usage === undefined ? {} : { usage }) }
}

const failure = ({ failed: says, code = 'agent.model_unavailable', usage }: Failed): AgentFound => ({
  failure: { code, says },
  ...(usage === undefined ? {} : { usage }),
})

const callerOf = (state: AgentState): Caller => Caller.parse(actingCaller(state))

/** What an outcome means for the thread. */
async function foundIn(deps: AgentEffectPorts, outcome: Outcome): Promise<AgentFound> {
  if (outcome.status === 'previewed') throw new Bug('no preview was requested')
  const call = {
    call_id: outcome.call_id ?? null,
    status: outcome.status,
    approval_id: outcome.status === 'pending' ? outcome.approval_id : null,
  }
  switch (outcome.status) {
    case 'pending':
      return {
        call,
        verdict: { effect: 'ask', why: whyIn(outcome.evidence) },
        expires_at: outcome.expires_at,
        url: outcome.url,
        takes_token: await takesToken(deps, outcome.approval_id),
        ...(outcome.hub === undefined ? {} : { hub: outcome.hub }),
      }
    case 'refused':
      return {
        call,
        verdict: { effect: 'block', why: whyIn(outcome.evidence) || specOf(outcome.problem).says },
        result: failedResult(refusalText(outcome.problem, outcome.evidence)),
        ...(outcome.problem.code === 'call.integrity_mismatch' ? { integrity: 'mismatch' as const } : {}),
      }
    case 'executing':
    case 'not_reported':
      return { call, verdict: { effect: 'allow', why: '' } }
    case 'executed':
      return { call, verdict: { effect: 'allow', why: '' }, result: resultOf(outcome) }
    default:
      return { call, verdict: { effect: 'allow', why: '' }, result: failedOutcome(outcome) }
  }
}

const whyIn = (evidence: readonly { readonly effect: string; readonly says: string }[]): string =>
  evidence
    .filter(({ effect }) => effect !== 'allow')
    .map(({ says }) => says)
    .join('; ')
    .slice(0, 1_000)

function refusalText(
  problem: Problem,
  evidence: readonly { readonly effect: string; readonly says: string }[],
): string {
  const why = whyIn(evidence)
  const said = sayProblem(problem)
  const reason = problem.about['reason']
  return [said, ...(reason === undefined ? [] : [`reason: ${reason}`]), ...(why === '' ? [] : [why])].join(': ')
}

function resultOf({ result, output, read_back, hint }: Extract<Outcome, { status: 'executed' }>): LastToolResult {
  const more = [read_back, hint].filter((one) => one !== undefined)
  const text = [textFor(result), ...more].join('\n')
  const { evicted, size_chars, rehydration_allowed, pointer, summary } = output
  return {
    status: 'success',
    output: text,
    evicted,
    pointer: pointer ?? null,
    size_chars,
    rehydration_allowed,
    summary: summary ?? null,
  }
}

/** Content that is present both as text and as structured content is shown once. */
function textFor(result: ToolResult): string {
  const { content, structuredContent } = result
  if (structuredContent === undefined) return outputText(result)
  const text = content.map((block) => (typeof block['text'] === 'string' ? block['text'] : '')).join('\n')
  const parts = isJsonObject(structuredContent) ? Object.values(structuredContent) : []
  return parts.length === 1 && parts[0] === text ? text : JSON.stringify(structuredContent)
}

function failedOutcome(outcome: Extract<Outcome, { status: 'failed' | 'unknown' }>): LastToolResult {
  const said = sayProblem(outcome.problem)
  const result = 'result' in outcome && outcome.result !== undefined ? outputText(outcome.result) : undefined
  const hint = 'hint' in outcome ? outcome.hint : undefined
  return failedResult(
    [result === undefined ? said : `${said}: ${result}`, ...(hint === undefined ? [] : [hint])].join('\n'),
  )
}
