import type { CallRequest, Outcome } from '../../kernel/contract/call.ts'
import { Caller } from '../../kernel/contract/caller.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { Bug } from '../../kernel/contract/problems.ts'
import type { AgentReply } from './outgoing-answers.ts'
import type { AgentState } from './state.ts'
import { SEND_TOOL_ID } from '../../kernel/contract/message-tool.ts'
import { isUnrecorded } from '../../kernel/changes/unrecorded.ts'
import type { CallListeners } from '../../kernel/ports/upstream.ts'
import type { Clock } from '../../kernel/ports/runtime.ts'
import type { Perform } from '../../kernel/runs/performer.ts'
import { countMessage, type MeterPorts } from '../workflows/api.ts'
import { isForNow } from '../../kernel/attempt/describe-call.ts'
import { byThread, documentOf, type ThreadDocumentPorts, stateOf, type ThreadPorts } from './threads.ts'

export type ReplyPorts = ThreadPorts &
  ThreadDocumentPorts &
  MeterPorts & {
    readonly clock: Clock
    readonly dispatch: (request: CallRequest, live?: CallListeners) => Promise<Outcome>
  }

const textIn = (details: JsonObject, name: string): string => {
  const text = details[name]
  return typeof text === 'string' ? text : ''
}

const YEAR_MS = 365 * 86_400_000

/**
 * Sends an answer to the room where the person wrote, as an ordinary call, and releases the slot of the turn.
 * INVARIANT: the key makes it one message and one slot, however often the effect is performed.
 */
export const replyToRoom =
  (deps: ReplyPorts): Perform<AgentReply> =>
  async ({ key, with: details }, { run_id, signal }) => {
    const row = (await deps.tables.row('runs', run_id))?.row
    if (row === undefined) throw new Bug(`the run \`${run_id}\` no longer exists`)
    const text = textIn(details, 'text')
    if (text.trim() !== '' && (await send(deps, stateOf(row), key, text, signal)) === 'later') return 'later'
    const place = textIn(details, 'place')
    if (place !== '' && !(await giveBack(deps, key, place))) return 'later'
    return { type: 'effect.done', at: deps.clock() }
  }

async function send(
  deps: ReplyPorts,
  state: AgentState,
  key: string,
  text: string,
  signal: AbortSignal,
): Promise<'done' | 'later'> {
  const { document } = state
  const opened = await documentOf(deps, state)
  if (document === undefined || opened === undefined) throw new Bug('only a thread of a document answers in a room')
  const counted = await countMessage(deps, opened, key)
  if (counted === 'later') return 'later'
  if (counted === 'over') return (await recordUnsent(deps, state, key)) ? 'done' : 'later'
  const request: CallRequest = {
    caller: Caller.parse(state.caller),
    tool: SEND_TOOL_ID,
    args: { agent: document.name, room: document.room, text },
    thread: state.thread_id,
    trace: state.trace,
    idempotency_key: `agent/${key}`,
    by_run: { ...byThread(state), step: 'answer', transport: document.transport },
  }
  return isForNow(await deps.dispatch(request, { signal })) ? 'later' : 'done'
}

/** An answer over the limit is not sent, and this is recorded. */
async function recordUnsent({ ledger, clock }: ReplyPorts, state: AgentState, key: string): Promise<boolean> {
  const at = clock()
  const { document, run_id, thread_id, trace } = state
  const committed = await ledger.commit([
    { kind: 'once', key: `workflow.unsent ${key}`, until: at + YEAR_MS },
    {
      kind: 'audit',
      entry: {
        at,
        type: 'workflow.refused',
        actor: 'gate',
        trace,
        subject: { run: run_id, thread: thread_id, document: `${document?.name ?? ''}@${document?.version ?? ''}` },
        outcome: 'limit_exceeded',
        about: { says: 'a limit of the document is reached: maxMessagesPerMinute', level: 'warning' },
      },
    },
  ])
  return !isUnrecorded(committed)
}

async function giveBack({ ledger, clock }: ReplyPorts, key: string, account: string): Promise<boolean> {
  const committed = await ledger.commit([
    { kind: 'once', key: `workflow.release ${key}`, until: clock() + YEAR_MS },
    { kind: 'spend', account, units: -1 },
  ])
  return !isUnrecorded(committed)
}
