import type { AgentSettings } from './agent.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { isEndedRun, type RunRow } from '../../kernel/contract/run.ts'
import { intentOf, replyIn, type MisspeltReply } from './replies.ts'
import { type StrictReply } from '../../kernel/approvals/strict-reply.ts'
import type { ThreadDocument, WaitingMessage } from './state.ts'
import { limitOf } from './step.ts'
import { cleanText, turnChanges } from './record-turn.ts'
import { runOfThread, stateOf, threadNamed, type Thread, type ThreadPorts } from './threads.ts'
import type { ApprovalRoutes } from '../../kernel/approvals/routes/routes.ts'
import {
  agentCaller,
  commitWithin,
  DELIVERY_KNOWN_MS,
  isOver,
  overSays,
  requestMeters,
  type MeterPorts,
  type PersonsMessage,
  type TakenTurn,
} from '../workflows/api.ts'
import { isUnrecorded, lostAt } from '../../kernel/changes/unrecorded.ts'
import type { Change } from '../../kernel/ports/ledger.ts'
import type { Clock, Ids } from '../../kernel/ports/runtime.ts'
import { anyRequestLabel, textLabel, wordsLabel } from '../../kernel/sessions/labels.ts'
import type { Judgement } from '../../kernel/decide/judging.ts'

export type TakeTurnPorts = MeterPorts &
  ThreadPorts & {
    readonly clock: Clock
    readonly ids: Ids
    readonly judgement: Pick<Judgement, 'scanner'>
    readonly agentSettings: AgentSettings
    /** Which senders are people that the operator knows. */
    readonly routes: Pick<ApprovalRoutes, 'chat'>
  }

const MOST_ROUNDS = 20
const NOT_HERE = 'approvals are not decided in this room'

/**
 * A person's message to a document's agent: added to the thread of this version, room and sender, which the driver carries out.
 * INVARIANT: only the words of a person whom the operator has mapped are the user's; those of anybody else are data from outside.
 */
export async function takeTurn(deps: TakeTurnPorts, said: PersonsMessage): Promise<TakenTurn> {
  const { message, delivery } = said
  const limit = deps.agentSettings.message_chars
  if (message.text.trim() === '') return refused('invalid_protocol_message', 'the message is empty')
  if (message.text.length > limit)
    return refused('limit_exceeded', `a message to an agent has at most ${limit} characters`)
  const reply = replyIn(message.text)
  const text = await cleanText(deps, message.text, reply)
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const now = deps.clock()
    const { thread_id, thread } = await openThread(deps, said)
    const run_id = runOfThread(deps, thread_id)
    const { meters, place } = requestMeters(said.head.name, said.opened, now)
    const waiting: WaitingMessage = {
      turn_id: `turn_${deps.digest(delivery).slice(0, 32)}`,
      asked_hash: deps.digest(JSON.stringify([text, null])),
      text,
      at: now,
      intent: reply !== undefined || deps.agentSettings.intent === 'rules' ? intentOf(text) : null,
      reply: reply === undefined ? null : notHere(reply),
      ...(place === null ? {} : { place }),
    }
    const once: Change = { kind: 'once', key: `workflow.delivery ${delivery}`, until: now + DELIVERY_KNOWN_MS }
    const committed = await commitWithin(deps, meters, [
      once,
      ...changesOf(deps, said, waiting, thread_id, thread, now),
    ])
    if (isOver(committed)) return refused('limit_exceeded', overSays(committed.over))
    if (committed === 'committed' || lostAt(committed) === 0) return { is: 'turn', run_id }
    if (isUnrecorded(committed)) return 'later'
    // A concurrent message of the same person started the thread.
  }
  return 'later'
}

const refused = (code: 'invalid_protocol_message' | 'limit_exceeded', says: string): TakenTurn => ({
  is: 'refused',
  code,
  says,
})
const notHere = (reply: StrictReply | MisspeltReply) => ({
  approval_id: reply.says === 'misspelt' ? (reply.approves ?? '') : reply.approval_id,
  result: 'invalid' as const,
  says: NOT_HERE,
})

function changesOf(
  deps: TakeTurnPorts,
  { head, opened, message }: PersonsMessage,
  waiting: WaitingMessage,
  thread_id: string,
  thread: Thread | undefined,
  now: number,
): Change[] {
  const caller = agentCaller(head)
  const { messaging, approvals } = opened.document
  const { transport, room, sender } = message
  const document: ThreadDocument = {
    name: head.name,
    version: opened.version,
    transport,
    room,
    sender,
    hold_s: approvals.ttlSeconds ?? null,
  }
  const about = {
    transport,
    sender: sender.slice(0, 256),
    room: room.slice(0, 256),
    message_hash: deps.digest(message.text),
  }
  const trace = thread?.state.trace ?? deps.ids.trace()
  const turn = { thread_id, thread, message: waiting, isVolatile: false, trace, document, about }
  // The operator wrote the list of rooms that answers may go to.
  const targets = JSON.stringify(messaging.allowedTargets)
  return [
    ...turnChanges(deps, caller, turn, now),
    ...(thread === undefined ? wordsLabel(thread_id, caller, thread_id, { text: targets, trust: 'user' }, now) : []),
    ...(waiting.reply === null ? personsWords(deps, caller, thread_id, sender, waiting) : []),
  ]
}

function personsWords(
  { routes }: TakeTurnPorts,
  caller: Caller,
  thread: string,
  sender: string,
  { turn_id: id, text, at }: WaitingMessage,
): Change[] {
  if (routes.chat?.people.has(sender) === true) return wordsLabel(id, caller, thread, { text, trust: 'user' }, at)
  const entering = { id, caller, thread, kind: 'log' as const, source: { name: sender.slice(0, 256) }, at }
  // It is addressed to the agent, so it asks for something, even if it does not read like that.
  return [...textLabel({ ...entering, text }), ...anyRequestLabel(entering)]
}

type Found = { readonly thread_id: string; readonly thread: Thread | undefined }

/**
 * The newest thread of this version, transport, room and sender, or the one to start: they are numbered, and each starts when the
 * previous one has ended. Found by exponential and binary search, so that long use costs little.
 */
async function openThread(deps: TakeTurnPorts, { opened, message }: PersonsMessage): Promise<Found> {
  const { transport, room, sender } = message
  const read = async (n: number): Promise<Found & { readonly isOver: boolean }> => {
    const seed = ['turns', opened.name, opened.version, transport, room, sender, n]
    const thread_id = threadNamed(deps.digest(JSON.stringify(seed)))
    const run = (await deps.tables.row('runs', runOfThread(deps, thread_id)))?.row
    if (run === undefined) return { thread_id, thread: undefined, isOver: false }
    return { thread_id, thread: { run, state: stateOf(run) }, isOver: isThreadOver(run) }
  }
  let over = -1
  let open = 0
  let found = await read(open)
  while (found.isOver) {
    over = open
    open = open * 2 + 1
    found = await read(open)
  }
  while (open - over > 1) {
    const middle = Math.floor((over + open) / 2)
    const one = await read(middle)
    if (one.isOver) over = middle
    else [open, found] = [middle, one]
  }
  return found
}

const isThreadOver = (run: RunRow): boolean =>
  run.expired_at !== undefined || isEndedRun(run) || run.status === 'faulted' || limitOf(stateOf(run)) !== undefined
