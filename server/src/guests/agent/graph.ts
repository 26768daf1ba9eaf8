import { MOST_TRIES, type AgentNode } from './agent.ts'
import type { RunGraph } from '../../kernel/contract/run.ts'
import * as moves from './moves.ts'
import { statusOfStep, triesOfStep, type AgentState } from './state.ts'

/** The work a thread starts at a node; null if the node only decides. */
export type AgentWork =
  'agent_intent' | 'agent_plan' | 'agent_propose' | 'agent_call' | 'agent_outcome' | 'agent_answer'

export const NODES: Readonly<Record<AgentNode, { readonly does: AgentWork | null; readonly says: string }>> = {
  Router: { does: 'agent_intent', says: 'what kind of message is it (a model only where configured)' },
  Planner: { does: 'agent_plan', says: 'a model writes a plan of 1 to 8 steps' },
  Supervisor: { does: null, says: 'rules choose the next step' },
  Executor: { does: 'agent_propose', says: 'a model proposes one call to a tool that search found' },
  RiskGate: { does: 'agent_call', says: 'the call goes through the gate' },
  AwaitApproval: { does: null, says: 'the call is held for approval' },
  ApprovalHandler: { does: 'agent_outcome', says: 'the decision is read' },
  Tools: { does: 'agent_outcome', says: 'the call runs, at most once' },
  Interpreter: { does: null, says: 'the result is checked' },
  Finalizer: { does: 'agent_answer', says: 'the answer is sent; a model writes it if there are results to report' },
  END: { does: null, says: 'the thread waits for a message or a decision' },
}

const isOver = (status: string | undefined) => status === 'done' || status === 'skipped'

/** Named, so that the graph can be drawn and each condition tested separately. */
export const CONDITIONS = {
  always: () => true,
  'awaiting approval and a strict reply': ({ awaiting_approval, turn }) => awaiting_approval && turn?.reply !== null,
  'a reply, and no approval is pending': ({ awaiting_approval, turn }) =>
    !awaiting_approval && turn !== null && turn.reply !== null,
  'awaiting approval, anything else': ({ awaiting_approval }) => awaiting_approval,
  'awaiting user input': ({ awaiting_user_input }) => awaiting_user_input,
  conversation: ({ intent }) => intent === 'conversation',
  'task, no plan': ({ plan }) => plan === null,
  'an approval is pending': ({ awaiting_approval }) => awaiting_approval,
  cancelled: ({ cancelled_by }) => cancelled_by !== null,
  'just rejected': ({ just_rejected }) => just_rejected,
  'integrity failure': ({ integrity_failed }) => integrity_failed,
  'the models are unavailable': ({ failure }) => failure !== null,
  'information needed': ({ awaiting_user_input }) => awaiting_user_input,
  '3 failed tries': (state) => statusOfStep(state) === 'failed' && triesOfStep(state) >= MOST_TRIES,
  'all done': ({ step_status }) => step_status.every(isOver),
  'step done, more steps': (state) => isOver(statusOfStep(state)),
  'step open, or failed with tries < 3': (state) => !isOver(statusOfStep(state)),
  'tool proposed': ({ proposed_tool, said }) => proposed_tool !== null && said === null,
  'no valid call was proposed': ({ said, failure }) => said !== null || failure !== null,
  'block or integrity mismatch': ({ verdict, integrity_failed }) => verdict?.effect === 'block' || integrity_failed,
  ask: ({ verdict }) => verdict?.effect === 'ask',
  allow: ({ verdict }) => verdict?.effect === 'allow',
  'all checks passed': ({ turn, call, has_outcome }) =>
    turn?.reply?.result === 'approved' || (has_outcome && call?.status !== 'refused'),
  rejected: ({ turn, call, has_outcome }) =>
    turn?.reply?.result === 'rejected' || (has_outcome && call?.status === 'refused'),
  invalid: ({ turn }) => turn?.reply?.result === 'invalid',
  'the held call was decided elsewhere': ({ awaiting_approval, call }) =>
    awaiting_approval && call !== null && call.status !== 'pending',
  'a message waits': ({ queue }) => queue.length > 0,
} as const satisfies Record<string, (state: AgentState) => boolean>
export type AgentCondition = keyof typeof CONDITIONS

export type AgentEdge = {
  readonly from: AgentNode
  readonly when: AgentCondition
  readonly to: AgentNode
  /** What changes along the edge, in words and in code. */
  readonly effect?: string
  readonly move?: (state: AgentState) => AgentState
}

/**
 * Once a node's work is done, the first edge whose condition holds is taken.
 * INVARIANT: every cycle has a counted exit: tries per step, steps per plan, lookups per step, model calls per thread.
 * INVARIANT: Tools is reached only through the gate's `allow` or a person's approval (law in graph.test.ts).
 */
export const EDGES: readonly AgentEdge[] = [
  { from: 'Router', when: 'cancelled', to: 'Supervisor' },
  { from: 'Router', when: 'awaiting approval and a strict reply', to: 'ApprovalHandler' },
  {
    from: 'Router',
    when: 'a reply, and no approval is pending',
    to: 'Finalizer',
    effect: 'says what it is',
    move: moves.noteReply,
  },
  { from: 'Router', when: 'awaiting approval, anything else', to: 'Supervisor', effect: 'the call keeps waiting' },
  {
    from: 'Router',
    when: 'awaiting user input',
    to: 'Supervisor',
    effect: 'RETRY, SKIP, CANCEL, else information',
    move: moves.takeInput,
  },
  { from: 'Router', when: 'the models are unavailable', to: 'Supervisor' },
  { from: 'Router', when: 'conversation', to: 'Finalizer' },
  { from: 'Router', when: 'task, no plan', to: 'Planner' },
  { from: 'Router', when: 'always', to: 'Supervisor', effect: 'a missing intent is a task' },
  { from: 'Planner', when: 'always', to: 'Supervisor' },
  { from: 'Supervisor', when: 'an approval is pending', to: 'Finalizer', effect: 'says what is pending' },
  { from: 'Supervisor', when: 'cancelled', to: 'Finalizer', effect: 'open steps are skipped', move: moves.dropPlan },
  {
    from: 'Supervisor',
    when: 'just rejected',
    to: 'Finalizer',
    effect: 'asks what to do instead',
    move: moves.askInstead,
  },
  {
    from: 'Supervisor',
    when: 'integrity failure',
    to: 'Finalizer',
    effect: 'Security Error: Integrity check failed',
    move: moves.dropPlan,
  },
  { from: 'Supervisor', when: 'the models are unavailable', to: 'Finalizer', effect: 'says why' },
  { from: 'Supervisor', when: 'information needed', to: 'Finalizer', effect: 'asks the question' },
  {
    from: 'Supervisor',
    when: '3 failed tries',
    to: 'Finalizer',
    effect: 'asks RETRY / SKIP / CANCEL',
    move: moves.askRetry,
  },
  { from: 'Supervisor', when: 'all done', to: 'Finalizer' },
  {
    from: 'Supervisor',
    when: 'step done, more steps',
    to: 'Executor',
    effect: 'of the next step',
    move: moves.nextStep,
  },
  {
    from: 'Supervisor',
    when: 'step open, or failed with tries < 3',
    to: 'Executor',
    effect: 'tries[step] += 1',
    move: moves.tryStep,
  },
  { from: 'Executor', when: 'tool proposed', to: 'RiskGate' },
  { from: 'Executor', when: 'no valid call was proposed', to: 'Interpreter' },
  { from: 'RiskGate', when: 'block or integrity mismatch', to: 'Interpreter', effect: 'failed, and a finding' },
  { from: 'RiskGate', when: 'ask', to: 'AwaitApproval', effect: 'challenge created', move: moves.awaitApproval },
  { from: 'RiskGate', when: 'allow', to: 'Tools' },
  { from: 'AwaitApproval', when: 'always', to: 'Finalizer', effect: 'the run is parked' },
  {
    from: 'ApprovalHandler',
    when: 'rejected',
    to: 'Supervisor',
    effect: 'User Rejected; not proposed again',
    move: moves.reject,
  },
  { from: 'ApprovalHandler', when: 'all checks passed', to: 'Tools', move: moves.approve },
  {
    from: 'ApprovalHandler',
    when: 'invalid',
    to: 'Supervisor',
    effect: 'the call keeps waiting; says why',
    move: moves.noteInvalid,
  },
  { from: 'Tools', when: 'always', to: 'Interpreter' },
  { from: 'Interpreter', when: 'always', to: 'Supervisor', effect: "the step's status", move: moves.interpret },
  { from: 'Finalizer', when: 'always', to: 'END', move: moves.endTurn },
  { from: 'END', when: 'the held call was decided elsewhere', to: 'ApprovalHandler' },
  { from: 'END', when: 'a message waits', to: 'Router', move: moves.beginTurn },
]

/** The same table as data, for drawing it. */
export const GRAPH: RunGraph = {
  nodes: Object.entries(NODES).map(([id, { says }]) => ({ id, says })),
  edges: EDGES.map(({ from, to, when }) => ({ from, to, when })),
}
