import { expect } from 'vitest'
import { AgentSettings, type LastToolResult, type ProposedTool } from './agent.ts'
import type { ApprovalId, CallId } from '../../kernel/contract/ids.ts'
import type { RunEffect } from '../../kernel/contract/run.ts'
import { failedResult } from './moves.ts'
import { startThread, type AgentState, type WaitingMessage } from './state.ts'
import { agent, type AgentFound, type AgentRunEvent } from './step.ts'

export const CALL: CallId = 'call_000000000000000000000001'
export const APPROVAL: ApprovalId = 'auth_0000000000000001'
export const SUCCESS: LastToolResult = { ...failedResult('fine'), status: 'success' }

export const thread = (settings: Partial<AgentSettings> = {}): AgentState =>
  startThread({
    run_id: 'run_0000000000000001',
    thread_id: 'thread_00000000-0000-4000-8000-000000000000',
    user_id: 'ana',
    caller: { kind: 'user', id: 'user:ana', user: 'ana' },
    trace: 'trace',
    settings: { ...AgentSettings.parse({}), ...settings },
    do_not_store: false,
  })

export const tool = (hash = 'a', name = 'mail__send'): ProposedTool => ({
  name,
  args: { n: hash },
  canonical_args: `{"n":"${hash}"}`,
  args_hash: hash,
  tool_call_id: `call_${hash}`,
  step_idx: 0,
  created_at: 1,
})

export const message = (text: string, more: Partial<WaitingMessage> = {}): AgentRunEvent => ({
  type: 'agent.message',
  message: { turn_id: text, asked_hash: 'h', text, at: 1, intent: 'task', reply: null, ...more },
})

export const allowed: AgentFound = {
  call: { call_id: CALL, status: 'executed', approval_id: null },
  verdict: { effect: 'allow', why: 'allowed' },
  result: SUCCESS,
}
export const held: AgentFound = {
  call: { call_id: CALL, status: 'pending', approval_id: APPROVAL },
  verdict: { effect: 'ask', why: 'asks' },
  expires_at: 99,
}
export const blocked: AgentFound = {
  call: { call_id: CALL, status: 'refused', approval_id: null },
  verdict: { effect: 'block', why: 'a rule' },
  result: failedResult('blocked'),
}

export const SEEN_TRANSITIONS = new Set<string>()

/** Plays a thread: each request for work gets the next prepared result of that kind. */
export class Play {
  state: AgentState
  effects: RunEffect[] = []
  ends: string | undefined
  cancelled: string[] = []
  readonly keys: string[] = []
  constructor(settings: Partial<AgentSettings> = {}) {
    this.state = thread(settings)
  }
  receive(event: AgentRunEvent): this {
    if (this.ends !== undefined) return this
    const next = agent.step(this.state, event)
    this.state = next.state
    // Work in progress stays so until it ends.
    const ended = 'key' in event ? event.key : undefined
    this.effects = [...this.effects.filter(({ key }) => key !== ended), ...next.effects]
    this.keys.push(...next.effects.map(({ key }) => key))
    this.cancelled.push(...(next.cancel ?? []))
    this.ends = next.ends
    for (const { about } of next.audit ?? []) {
      const { from, when, to } = about as Record<string, string>
      SEEN_TRANSITIONS.add(`${from} ${when} ${to}`)
    }
    return this
  }
  /** Ends the work in progress with this result. */
  done(news: AgentFound, work?: string): this {
    const effect = this.effects.findLast(({ kind }) => kind !== 'withdraw_call')
    if (effect === undefined) throw new Error(`no work is in progress at ${this.state.node}`)
    if (work !== undefined) expect(effect.kind).toBe(work)
    return this.receive({ type: 'effect.done', key: effect.key, ...news } as unknown as AgentRunEvent)
  }
  say(text: string, more: Partial<WaitingMessage> = {}): this {
    return this.receive(message(text, more))
  }
  plan(...steps: string[]): this {
    return this.done({ plan: steps }, 'agent_plan')
  }
  propose(hash = 'a'): this {
    return this.done({ proposed: tool(hash) }, 'agent_propose')
  }
  get last() {
    return this.state.turns.at(-1)
  }
}

export const held1 = () => new Play().say('send it').plan('send').propose().done(held, 'agent_call')
export const reply = (result: 'approved' | 'rejected' | 'invalid', says = ''): Partial<WaitingMessage> => ({
  intent: null,
  reply: { approval_id: APPROVAL, result, says },
})
