import type { AgentEvent, AgentEventName } from './agent.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { RunId } from '../../kernel/contract/ids.ts'
import { isJsonObject, type Json, type JsonObject } from '../../kernel/contract/json.ts'
import { ok, type Result } from '../../kernel/contract/problems.ts'
import { isEndedRun } from '../../kernel/contract/run.ts'
import { startThread, type AgentState } from './state.ts'
import { agent, type AgentRunEvent } from './step.ts'
import type { Watch } from '../../kernel/changes/watch-rows.ts'
import type { Journal } from '../../kernel/ports/reads.ts'
import { visibleThread, type ThreadPorts } from './threads.ts'
import { refuse } from './problems.ts'

export type FollowThreadPorts = ThreadPorts & {
  readonly journal: Pick<Journal, 'events'>
  readonly watch: Pick<Watch, 'onRow'>
  /** Intermediate output of performers on this node. */
  readonly onShown: (run_id: RunId, listener: (key: string, news: Json) => void) => () => void
}

/** `id` is absent for what is not stored: the pieces of an answer that is being written. */
export type FollowedEvent = AgentEvent & { readonly id?: string }

export type Follower = {
  readonly onEvent: (event: FollowedEvent) => void
  /** The thread has ended: nothing more will come. */
  readonly onEnd: () => void
}

const AT_ONCE = 200

/** The position of an event in the journal: the journal entry that caused it, and its number among the events of that step. */
type Place = { readonly seq: number; readonly n: number }

/**
 * Reports everything that happened to a thread after a position, and keeps reporting. The events are computed from the journal,
 * so every node gives the same ones with the same ids.
 * INVARIANT: every event after `from` is reported once and in order.
 */
export async function followThread(
  deps: FollowThreadPorts,
  caller: Caller,
  run_id: string,
  from: string | undefined,
  follower: Follower,
): Promise<Result<() => void>> {
  const thread = await visibleThread(deps, caller, run_id)
  if (thread === undefined) return refuse('agent.thread_unknown', { thread_id: run_id })
  const start = placeOf(from)
  if (start === undefined) return refuse('request.invalid', { paths: 'last-event-id: not an id of this stream' })
  let state: AgentState = startThread(thread.state)
  let seq = 0
  let isStopped = false
  let isReading = false
  let isAgain = false

  const readOn = async () => {
    for (;;) {
      const events = await deps.journal.events(thread.run.run_id, seq, AT_ONCE)
      for (const one of events) {
        const before = state
        state = agent.step(before, one.event as AgentRunEvent).state
        seq = one.seq
        const events = eventsOf(before, state)
        for (const [n, event] of events.entries()) {
          const isNew = seq > start.seq || (seq === start.seq && n > start.n)
          if (isNew && !isStopped) follower.onEvent({ ...event, id: `${seq}.${n}` })
        }
      }
      if (events.length < AT_ONCE) return
    }
  }
  const look = async () => {
    if (isReading) {
      isAgain = true
      return
    }
    isReading = true
    do {
      isAgain = false
      await readOn()
    } while (isAgain)
    isReading = false
    const row = (await deps.tables.row('runs', run_id))?.row
    if (!isStopped && (row === undefined || isEndedRun(row))) {
      stop()
      follower.onEnd()
    }
  }
  const stopHearing = deps.watch.onRow('runs', run_id, () => void look().catch(stop))
  const stopShown = deps.onShown(thread.run.run_id, (key, news) => {
    if (!isStopped && isJsonObject(news)) follower.onEvent({ event: 'message_delta', data: { key, ...news } })
  })
  function stop() {
    isStopped = true
    stopHearing()
    stopShown()
  }
  await look()
  return ok(stop)
}

/** After all events that followed from one event of the journal. */
export const afterAllOf = (seq: number): string => `${seq}.999999`

function placeOf(id: string | undefined): Place | undefined {
  if (id === undefined || id === '') return { seq: 0, n: -1 }
  const [, seq, n] = /^(\d{1,15})\.(\d{1,6})$/.exec(id) ?? []
  return seq === undefined || n === undefined ? undefined : { seq: Number(seq), n: Number(n) }
}

/**
 * The events that watchers get for a step of a thread. Derived from the states before and after, so that the journal alone gives
 * the same events again.
 */
function eventsOf(before: AgentState, after: AgentState): AgentEvent[] {
  const events: AgentEvent[] = []
  const add = (event: AgentEventName, data: JsonObject) => void events.push({ event, data })
  if (after.plan !== before.plan && after.plan !== null) add('plan', { steps: after.plan })
  if (after.proposed_tool !== null && after.proposed_tool !== before.proposed_tool) {
    const { name, args, args_hash, step_idx } = after.proposed_tool
    add('tool_proposed', { tool: name, args, args_hash, step: step_idx })
  }
  const call_id = after.call?.call_id ?? before.call?.call_id ?? null
  if (after.last_verdict !== null && after.last_verdict !== before.last_verdict)
    add('risk_gate', { ...after.last_verdict })
  if (after.awaiting_approval && !before.awaiting_approval)
    add('approval_required', {
      approval_id: after.approval_id,
      call_id,
      tool: after.proposed_tool?.name ?? null,
      expires_at: after.approval_expires_at,
    })
  if (after.last_tool_result !== null && after.last_tool_result !== before.last_tool_result)
    add('tool_result', { ...after.last_tool_result })
  if (after.failure !== null && after.failure !== before.failure) add('error', { ...after.failure })
  if (after.node !== before.node || after.current_step !== before.current_step)
    add('state', {
      node: after.node,
      path: newest(after.audit_trail, after.moves - before.moves),
      current_step: after.current_step,
      step_status: after.step_status,
      awaiting_approval: after.awaiting_approval,
      awaiting_user_input: after.awaiting_user_input,
      usage: { ...after.usage },
    })
  const ended = newest(after.turns, after.turns_ended - before.turns_ended)
  for (const turn of ended) add('final', { ...turn })
  // The outcome of a decision is reported even if no message is waiting for it.
  if (after.node === 'END' && before.node !== 'END' && ended.length === 0)
    add('final', { turn_id: null, status: after.status, response: after.response })
  return events
}

const newest = <T>(list: readonly T[], count: number): readonly T[] => (count === 0 ? [] : list.slice(-count))
