import type { CallRequest, Outcome } from '../../kernel/contract/call.ts'
import { Caller } from '../../kernel/contract/caller.ts'
import { isJsonObject, type JsonObject } from '../../kernel/contract/json.ts'
import { Bug, specOf } from '../../kernel/contract/problems.ts'
import { inForce } from '../../kernel/contract/tool.ts'
import type { FlowExecution } from './execution-state.ts'
import {
  answerInstructions,
  checkInstructions,
  executeInstructions,
  executionTurns,
  stepText,
} from './execution-prompts.ts'
import { flowExecution, type ExecutionFound, type ExecutionNodeEffect } from './execution-step.ts'
import { expectedValues } from './expected-values.ts'
import { outputText } from '../../kernel/attempt/interpret.ts'
import { canonicalJson } from '../../kernel/json/canonical.ts'
import { validateAgainst } from '../../kernel/json/validate-args.ts'
import { isForNow, isTemporary, describeCall, type Links } from '../../kernel/attempt/describe-call.ts'
import { sayProblem } from '../../kernel/text/say-problem.ts'
import type { LiveCatalogue } from '../../kernel/catalogue/catalogue.ts'
import type { AgentModels, ModelOutput, ModelPurpose, ModelQuestion, OfferedTool } from '../models/api.ts'
import type { CallListeners } from '../../kernel/ports/upstream.ts'
import type { Proxy } from '../../kernel/proxy/proxy.ts'
import type { Perform, Performing, PerformersOf } from '../../kernel/runs/performer.ts'
import { finishExecution, type FinishPorts } from './finish-execution.ts'
import { reserveUnits, chargeUnits } from './reserve-units.ts'
import { settingsOf, type Judgement } from '../../kernel/decide/judging.ts'

declare module '../../kernel/ports/runtime.ts' {
  interface ProbePoints extends Readonly<Record<'flow.reserved' | 'flow.settling', true>> {}
}

export type FlowEffectPorts = FinishPorts & {
  readonly models: AgentModels
  readonly links: Links
  readonly catalogue: Pick<LiveCatalogue, 'tool'>
  readonly judgement: Judgement
  readonly dispatch: (request: CallRequest, live?: CallListeners) => Promise<Outcome>
  readonly proxy: Pick<Proxy, 'ask'>
}

type Work = (deps: FlowEffectPorts, state: FlowExecution, performing: Performing) => Promise<ExecutionFound | 'later'>

/** The work of an execution. The run's own row contains everything that the work needs. */
export function flowPerformers(deps: FlowEffectPorts): PerformersOf<ExecutionNodeEffect> {
  const perform =
    (work: Work): Perform<ExecutionNodeEffect> =>
    async (_, performing) => {
      const row = (await deps.tables.row('runs', performing.run_id))?.row
      if (row === undefined) throw new Bug(`the run \`${performing.run_id}\` no longer exists`)
      const found = await work(deps, row.state as FlowExecution, performing)
      return found === 'later' ? 'later' : { type: 'effect.done', now: deps.clock(), ...(found as JsonObject) }
    }
  return {
    flow_prompts: perform(readPrompts),
    flow_ask: perform(askModel),
    flow_call: perform(makeCall),
    flow_outcome: perform(readOutcome),
    flow_answer: perform(writeResult),
    flow_finish: perform((given, state) => finishExecution(given, state)),
  }
}

const LONGEST_PROMPT = 20_000

/** Prompts of connected servers are read through the gate, like any client reads them. */
const readPrompts: Work = async (deps, state, { signal }) => {
  const prompts: { id: string; text: string }[] = []
  for (const id of state.prompt_ids) {
    const read = await deps.proxy.ask(callerOf(state), {
      method: 'prompts/get',
      params: { name: id },
      thread: state.flow_run_id,
      trace: state.trace,
      signal,
    })
    if (read.is !== 'answered') {
      if (read.is === 'refused' && isTemporary(read.problem)) return 'later'
      return {
        failure: `the prompt could not be read: ${read.is === 'refused' ? sayProblem(read.problem) : 'the server refused'}`,
      }
    }
    prompts.push({ id, text: JSON.stringify(read.result['messages'] ?? '').slice(0, LONGEST_PROMPT) })
  }
  return { prompts }
}

const LONGEST_PURPOSE = 1_000

/** Only the step's own tools. */
function offeredTools({ catalogue }: FlowEffectPorts, { tools }: FlowExecution): readonly OfferedTool[] {
  return tools.flatMap((name) => {
    const tool = catalogue.tool(name)
    if (tool === undefined) return []
    const { inputSchema: schema, description = '' } = inForce(tool.row).definition
    return [{ name, description: description.slice(0, LONGEST_PURPOSE), schema }]
  })
}

const askModel: Work = async (deps, state, performing) => {
  const tools = offeredTools(deps, state)
  const said = await ask(deps, state, performing, 'propose', executeInstructions(state), tools)
  if ('failed' in said) return { failure: said.failed }
  const { call } = said
  if (call === undefined) return { said: true }
  if (!tools.some(({ name }) => name === call.name)) return { wasted: 'this tool is not one of those you were offered' }
  if (call.args === undefined || !isJsonObject(call.args)) return { wasted: 'the arguments are not a JSON object' }
  const tool = deps.catalogue.tool(call.name)
  if (tool === undefined) return { wasted: 'the tool no longer exists' }
  const { definition, hash } = inForce(tool.row)
  const valid = validateAgainst(definition.inputSchema, hash, call.args)
  if (!valid.ok) return { wasted: sayProblem(valid.problem) }
  const canonical = canonicalJson(call.args)
  return canonical.ok ? { proposed: { tool: call.name, args: call.args } } : { wasted: sayProblem(canonical.problem) }
}

/** Units first, then the call, then its cost. Each of the three is done once, however often this is repeated. */
const makeCall: Work = async (deps, state, { run_id, signal }) => {
  const { proposed, calls } = state
  if (proposed === null) throw new Bug('there is no call to make')
  const reserved = await reserveUnits(deps, state, calls, costOf(deps, proposed.tool))
  deps.probe('flow.reserved')
  if (reserved === 'later') return 'later'
  if (reserved === 'capped') return { capped: true }
  if (reserved === 'revoked') return { failure: 'the consent was revoked or has expired' }
  if (reserved === 'over') return { failure: 'the execution has ended' }
  const request: CallRequest = {
    caller: callerOf(state),
    tool: proposed.tool,
    args: proposed.args,
    thread: state.flow_run_id,
    trace: state.trace,
    idempotency_key: `flow/${state.execution_id}/${calls}`,
    // People wrote the step. For a program that executes it this is a claim like any other.
    words: stepText(state.step),
    by_run: {
      run_id,
      kind: flowExecution.kind,
      step: state.step.step_id,
      lane: state.lane,
      at_least: 'allow',
      consent: state.consent_id,
    },
  }
  const outcome = await deps.dispatch(request, { signal })
  return isForNow(outcome) ? 'later' : settled(deps, state, outcome)
}

const readOutcome: Work = async (deps, state) => {
  const row = (await deps.tables.row('calls', state.call?.call_id ?? ''))?.row
  if (row === undefined) throw new Bug('the call of an execution no longer exists')
  return settled(deps, state, describeCall(row, deps.links))
}

/**
 * What an outcome means, once its cost is recorded. A call that is held, runs elsewhere or waits to be settled keeps its units reserved.
 */
async function settled(
  deps: FlowEffectPorts,
  state: FlowExecution,
  outcome: Outcome,
): Promise<ExecutionFound | 'later'> {
  if (outcome.status === 'not_reported') throw new Bug('a flow never calls a tool of a client')
  if (outcome.status === 'previewed') throw new Bug('no preview was requested')
  if (outcome.status === 'pending' || outcome.status === 'executing' || outcome.status === 'unknown')
    return { call: { call_id: outcome.call_id, status: outcome.status } }
  const cost = outcome.status === 'refused' ? 0 : costOf(deps, state.proposed?.tool ?? '')
  deps.probe('flow.settling')
  if ((await chargeUnits(deps, state, state.calls, cost)) === 'later') return 'later'
  return { result: { text: textOf(outcome), ok: outcome.status === 'executed' } }
}

const LONGEST_RESULT = 10_000

function textOf(
  outcome: Exclude<Outcome, { status: 'pending' | 'executing' | 'previewed' | 'unknown' | 'not_reported' }>,
): string {
  if (outcome.status === 'executed') return outputText(outcome.result).slice(0, LONGEST_RESULT)
  const said = `${specOf(outcome.problem).says} [${outcome.problem.code}]`
  const why = outcome.status === 'refused' ? outcome.evidence.filter(({ effect }) => effect === 'block') : []
  return [said, ...why.map(({ says }) => says)].join('; ').slice(0, LONGEST_RESULT)
}

function costOf({ catalogue, judgement }: FlowEffectPorts, tool_id: string): number {
  const tool = catalogue.tool(tool_id)
  return (tool === undefined ? undefined : settingsOf(judgement, tool)?.cost) ?? 1
}

/** The output of the step, and whether it passes the step's own check. */
const writeResult: Work = async (deps, state, performing) => {
  const said = await ask(deps, state, performing, 'answer', answerInstructions(state))
  if ('failed' in said) return { failure: said.failed }
  const output = said.text.trim()
  if (output === '') return { failure: 'the model wrote no result' }
  const { kind } = state.step.verification
  if (kind !== 'agent_check') return { output, verified: isVerified(state, output) }
  const checked = await ask(deps, state, performing, 'check', checkInstructions(state, output))
  if ('failed' in checked) return { failure: checked.failed }
  return { output, verified: /^\W*PASS\b/i.test(checked.text) }
}

/** The artifact exists by now. A test passed if no call of the execution failed. */
function isVerified({ step, results }: FlowExecution, output: string): boolean {
  switch (step.verification.kind) {
    case 'artifact_exists':
      return true
    case 'value_match':
      return expectedValues(step).every((value) => output.includes(value))
    case 'test_pass':
      return results.length > 0 && results.every(({ ok }) => ok)
    default:
      return false
  }
}

function ask(
  { models }: FlowEffectPorts,
  state: FlowExecution,
  { signal }: Performing,
  purpose: ModelPurpose,
  instructions: string,
  tools?: ModelQuestion['tools'],
): Promise<ModelOutput | { readonly failed: string }> {
  const made = state.results.filter(({ tool }) => tool !== 'gate')
  return models.ask({
    role: purpose === 'propose' ? 'executor' : 'finalizer',
    purpose,
    lane: state.lane,
    instructions,
    messages: executionTurns(state),
    ...(tools === undefined ? {} : { tools }),
    script: {
      message: `${state.step.step_id} ${state.step.owned_job}`,
      step: made.length,
      tries: 1,
      results: made.map(({ text }) => text),
    },
    signal,
  })
}

const callerOf = ({ caller }: FlowExecution): Caller => Caller.parse(caller)
