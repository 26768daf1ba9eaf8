import { AgentSettings } from '../../src/guests/agent/agent.ts'
import { FlowStep } from '../../src/guests/flows/flows.ts'
import type { Json, JsonObject } from '../../src/kernel/contract/json.ts'
import type { RunEvent } from '../../src/kernel/contract/run.ts'
import { SUCCESS, tool } from '../../src/guests/agent/play.suite.ts'
import { failedResult } from '../../src/guests/agent/moves.ts'
import { startThread } from '../../src/guests/agent/state.ts'
import { newExecution, type FlowExecution } from '../../src/guests/flows/execution-state.ts'
import { SCORED, begin as newToolflow } from '../../src/guests/toolflow/flows.suite.ts'
import { startWorkflow } from '../../src/guests/workflows/state.ts'
import type { ModelCall, ModelRun, OwnerWork, Performing, SignalModel, Work } from './signal-model.ts'

/** Each kind of run that makes calls: how it begins, and what its performers answer. */
export type Owner = { readonly kind: string; readonly state: Json; readonly first: RunEvent; readonly work: OwnerWork }

const OPEN: readonly string[] = ['pending', 'executing', 'unknown']
const done = (filled: object): RunEvent => ({ type: 'effect.done', ...(filled as JsonObject) })
const CANCELLED: RunEvent = { type: 'effect.cancelled' }

/** A model or another harmless work, which a cancellation stops. */
function* harmless(performing: Performing, filled: object): Work {
  yield
  return performing.aborted ? CANCELLED : done(filled)
}

type Read = (call: ModelCall) => object

function* calling(model: SignalModel, run: ModelRun, performing: Performing, key: string, read: Read): Work {
  const call = yield* model.dispatch(run, key, performing)
  const filled = read(call)
  // What was read may be old when the run gets it.
  yield
  return done(filled)
}

function* reading(model: SignalModel, id: string | null | undefined, read: Read): Work {
  yield
  const call = [...model.calls.values()].find((one) => one.id === id)
  if (call === undefined) throw new Error('the call is gone')
  const filled = read(call)
  yield
  return done(filled)
}

function agentFound({ id: call_id, state: status, approval }: ModelCall): object {
  const call = { call_id, status, approval_id: status === 'pending' ? (approval ?? null) : null }
  if (status === 'pending') return { call, verdict: { effect: 'ask', why: '' }, expires_at: 99 }
  if (status === 'executing') return { call, verdict: { effect: 'allow', why: '' } }
  const effect = status === 'refused' ? 'block' : 'allow'
  return { call, verdict: { effect, why: '' }, result: status === 'executed' ? SUCCESS : failedResult(status) }
}

const agent: Owner = {
  kind: 'agent',
  state: startThread({
    run_id: 'run_0000000000000000',
    thread_id: 'thread_00000000-0000-4000-8000-000000000000',
    user_id: 'ana',
    caller: { kind: 'user', id: 'user:ana', user: 'ana' },
    trace: 'trace',
    settings: AgentSettings.parse({}),
    do_not_store: false,
  }),
  first: message(0),
  work(model, run, performing) {
    const { kind, key } = performing.effect
    const state = run.row.state as { readonly call?: { readonly call_id?: string } | null }
    if (kind === 'agent_call') return calling(model, run, performing, key, agentFound)
    if (kind === 'agent_outcome') return reading(model, state.call?.call_id, agentFound)
    const answers: Readonly<Record<string, object>> = {
      agent_intent: { intent: 'task' },
      agent_plan: { plan: ['one', 'two'] },
      agent_propose: { proposed: tool(key) },
      agent_answer: { text: 'answer' },
    }
    return harmless(performing, answers[kind] ?? {})
  },
}

export function message(number: number): RunEvent {
  const text = `message ${number}`
  return {
    type: 'agent.message',
    message: { turn_id: `turn_${number}`, asked_hash: text, text, at: 1, intent: 'task', reply: null },
  }
}

const toolflow: Owner = {
  kind: 'toolflow',
  state: newToolflow({}),
  first: { type: 'toolflow.started' },
  work(model, run, performing) {
    const found: Read = ({ id, state }) => ({ call: { call_id: id, status: state, reason: null } })
    if (performing.effect.kind === 'toolflow_dispatch') return calling(model, run, performing, 'toolflow', found)
    const evidence = { gate_status: 'ASK', total_score: null, risk_score: null, stale_score: null, source: 'policy' }
    const card = { title: 'T', purpose: 'P', risk: 'low', dry_run_supported: false, required_inputs: [] }
    const answers: Readonly<Record<string, object>> = {
      toolflow_search: { candidates: SCORED(0.9, 0.2) },
      toolflow_card: {
        args: { of: 'caller', value: { text: 'x' } },
        card: { ...card, why_inputs: 'why', proposed_args: '{}' },
      },
      toolflow_judge: { judged: { evidence, dry_run: false } },
    }
    return harmless(performing, answers[performing.effect.kind] ?? {})
  },
}

const flowExecution: Owner = {
  kind: 'flow-execution',
  state: newExecution({
    execution_id: 'fexec_000000000000000000000000',
    flow_run_id: 'run_0000000000000000',
    consent_id: 'fcons_000000000000000000000000',
    step: FlowStep.parse({
      step_id: 'flow_x#1',
      flow_id: 'flow_x',
      ordinal: 1,
      owned_job: 'x',
      instruction: 'x',
      verification: { kind: 'artifact_exists', evidence_required: true },
      automatable: 'automatable',
    }),
    lane: 'local_default',
    caller: {},
    trace: 't',
    tools: ['book__look'],
    prompt_ids: [],
  }),
  first: { type: 'flow.started' },
  work(model, run, performing) {
    const { kind } = performing.effect
    const state = run.row.state as FlowExecution
    const found: Read = ({ id, state: status }) =>
      OPEN.includes(status)
        ? { call: { call_id: id, status } }
        : { result: { text: status, ok: status === 'executed' } }
    if (kind === 'flow_call') return calling(model, run, performing, `flow/${state.calls}`, found)
    if (kind === 'flow_outcome') return reading(model, state.call?.call_id, found)
    if (kind === 'flow_ask')
      return harmless(performing, state.calls < 2 ? { proposed: { tool: 'book__look', args: {} } } : { said: true })
    if (kind === 'flow_answer') return harmless(performing, { output: 'x', verified: true })
    return finishing()
  },
}

function* finishing(): Work {
  yield
  return done({})
}

const workflow: Owner = {
  kind: 'workflow',
  state: startWorkflow({
    run_id: 'run_0000000000000000',
    document: 'clerk',
    version: 1,
    caller: { kind: 'agent', id: 'agent:workflow/clerk', user: 'a' },
    thread: 't',
    trace: 't',
    protocol: {
      id: 'p',
      trigger: { type: 'gateway.event', prefix: '' },
      steps: [
        { type: 'plan', prompt: 'x' },
        { type: 'tool', tool: 'book.look', argsTemplate: {} },
        {
          type: 'for_each',
          itemsExpr: 'input.list',
          itemVar: 'item',
          maxIterations: 5,
          steps: [{ type: 'tool', tool: 'book.look', argsTemplate: {} }],
        },
      ],
    },
    targets: {},
    reads: ['book__look'],
    place: null,
    hold_s: null,
    trigger: { type: 'manual', sender: null, room: null, source: null, message: '' },
    input: { list: [1, 2] },
    started_at: 0,
  }),
  first: { type: 'workflow.started', at: 1 },
  work(model, run, performing) {
    const { kind, key, with: details } = performing.effect
    const found: Read = ({ id, state: status, approval }) =>
      OPEN.includes(status)
        ? { call: { call_id: id, status, approval_id: status === 'pending' ? (approval ?? null) : null } }
        : status === 'executed'
          ? { output: 'x' }
          : { failure: { code: 'tool_failed', says: status, again: false } }
    if (kind === 'workflow_tool') return calling(model, run, performing, key, found)
    const { call_id } = details
    if (kind === 'workflow_outcome') return reading(model, typeof call_id === 'string' ? call_id : null, found)
    return harmless(performing, { output: 'x' })
  },
}

export const OWNERS: readonly Owner[] = [agent, toolflow, flowExecution, workflow]
