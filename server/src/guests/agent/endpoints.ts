import { listOf } from '../../kernel/contract/answers.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { Reader, AnswerText } from '../../kernel/sessions/enter-session.ts'
import { CALLERS } from '../../adapters/http/access.ts'
import type { Door } from '../../adapters/http/door.ts'
import { endpoint, type EndpointInput, type Endpoint } from '../../adapters/http/endpoint.ts'
import { eventStream, OpenStreams, type EventOut } from '../../adapters/http/event-stream.ts'
import { labelledStream } from '../../adapters/http/label-events.ts'
import { PAGED } from '../../adapters/http/parameters.ts'
import { jsonResponse } from '../../adapters/http/problem.ts'
import { AgentBody, type AgentAnswer, type AgentEvent } from './agent.ts'
import { afterAllOf, followThread, type FollowThreadPorts, type FollowedEvent } from './follow-thread.ts'
import {
  cancelTurn,
  listThreads,
  readOwnThread,
  readThread,
  type CancelThreadPorts,
  type ThreadView,
} from './read-threads.ts'
import { runAgent, withDevToken, type RunAgentPorts } from './run-agent.ts'
import { AgentAnswerBody, ThreadAnswer, ThreadSummaryAnswer } from './thread-answers.ts'
import { ownThread } from './threads.ts'
import { answerText, stringsUnder } from '../../kernel/sessions/answer-texts.ts'

export type AgentPorts = RunAgentPorts & FollowThreadPorts & CancelThreadPorts

const WAIT_MS = 60_000

type Following = Pick<EndpointInput, 'door' | 'reader' | 'isStillAllowed'>

/** The agent runtime: messages in, answers and events out. */
export function endpoints(k: AgentPorts): readonly Endpoint[] {
  const open = new OpenStreams()

  async function follow(
    { door, reader, isStillAllowed }: Following,
    run_id: string,
    from: string | undefined,
    hasFinal: boolean,
  ): Promise<Result<never> | Response> {
    const who = callerIdentity(reader.caller)
    if (door.streams.stopping.aborted) return refuse('gate.stopping')
    if (open.isFull(who)) return refuse('stream.too_many', { limit: String(open.most) })
    // Checked before the stream opens, so that another caller's thread is answered with 404.
    const known = await readThread(k, reader.caller, run_id)
    if (!known.ok) return known
    return eventStream({
      ...door.streams,
      isStillAllowed,
      onEnd: open.take(who),
      begin: (out) => streamThread(k, door, reader, { run_id, from, hasFinal }, out),
    })
  }

  async function converse(
    caller: Caller,
    asked: EndpointInput<never, AgentBody, 'wait_ms' | 'session'>,
    isForDevelopment: boolean,
  ): Promise<Result<AgentAnswer> | Response> {
    const { body, door, reader, trace, header, number } = asked
    const key = body.idempotency_key ?? asked.key
    const isStreamed = (header('accept') ?? '').includes('text/event-stream')
    const wait_ms = isStreamed ? 0 : number('wait_ms', WAIT_MS)
    const before = isStreamed ? await placeBefore(k, caller, body.thread_id) : undefined
    const message = { ...body, ...(key === undefined ? {} : { idempotency_key: key }) }
    const answer = await runAgent(k, caller, message, { trace, wait_ms })
    if (!answer.ok) return answer
    const entered = await door.enter(reader, textsInAgent(answer.value))
    if (!entered.ok) return entered
    if (isStreamed && answer.value.status === 'running') return follow(asked, answer.value.run_id, before, true)
    if (isStreamed) return endedTurn(door, answer.value)
    if (answer.value.status === 'running') return jsonResponse(202, answer.value)
    return isForDevelopment ? ok(await withDevToken(k, caller, answer.value)) : answer
  }

  return [
    ...(['/agent/run', '/chat'] as const).map((path) =>
      endpoint({
        at: `POST ${path}`,
        access: CALLERS,
        says: 'A message to an agent; answers with the end of its turn, or streams it (`Accept: text/event-stream`)',
        query: ['wait_ms', 'session'],
        status: [200, 202],
        keeps_keys: true,
        body: AgentBody,
        answers: AgentAnswerBody,
        run: (caller, asked) => converse(caller, asked, path === '/agent/run'),
      }),
    ),
    endpoint({
      at: 'GET /agent/runs/{run_id}',
      access: CALLERS,
      says: 'A whole thread: its messages, plan, pending calls and cost',
      query: ['session'],
      answers: ThreadAnswer,
      run: (caller, { params }) => readThread(k, caller, params.run_id),
      reads: textsInThread,
    }),
    endpoint({
      at: 'GET /agent/runs/{run_id}/events',
      access: CALLERS,
      says: 'The events of a thread, from its beginning or after `Last-Event-ID`, as server-sent events',
      query: ['session'],
      media: 'text/event-stream',
      run: (_, asked) => follow(asked, asked.params.run_id, asked.header('last-event-id'), false),
    }),
    endpoint({
      at: 'GET /agent/threads/{thread_id}',
      access: CALLERS,
      says: 'One of your threads as a whole, by its id, for export',
      query: ['session'],
      answers: ThreadAnswer,
      run: (caller, { params }) => readOwnThread(k, caller, params.thread_id),
      reads: textsInThread,
    }),
    endpoint({
      at: 'GET /agent/threads',
      access: CALLERS,
      says: 'Your threads, newest first',
      query: PAGED,
      answers: listOf(ThreadSummaryAnswer),
      run: async (caller, { page }) => ok(await listThreads(k, caller, page)),
    }),
    endpoint({
      at: 'POST /agent/threads/{thread_id}/cancel',
      access: CALLERS,
      says: 'Stop a thread; a call that waits for a person is withdrawn, a running call is cancelled',
      query: ['session'],
      status: 202,
      answers: ThreadAnswer,
      run: (caller, { params }) => cancelTurn(k, caller, params.thread_id),
      reads: textsInThread,
    }),
  ]
}

/** The turn has already ended: the same request was sent twice. */
const endedTurn = ({ streams }: Door, { response, status }: AgentAnswer): Response =>
  eventStream({
    ...streams,
    isStillAllowed: async () => true,
    onEnd() {},
    begin(out) {
      out.send('final', { turn_id: null, status, response })
      out.leave('ended')
      return () => {}
    },
  })

/** The newest event before the message, so that its stream has only later events. */
async function placeBefore(k: AgentPorts, caller: Caller, thread_id: string | undefined): Promise<string | undefined> {
  const thread = thread_id === undefined ? undefined : await ownThread(k, caller, thread_id)
  return thread === undefined ? undefined : afterAllOf(thread.run.cursor)
}

type Followed = { readonly run_id: string; readonly from: string | undefined; readonly hasFinal: boolean }

function streamThread(
  k: AgentPorts,
  door: Door,
  reader: Reader,
  { run_id, from, hasFinal }: Followed,
  out: EventOut,
): () => void {
  let stop = () => {}
  let isStopped = false
  const send = ({ event, data, id }: FollowedEvent) => {
    out.send(event, data, id)
    // The stream of one message ends with its answer.
    if (hasFinal && event === 'final' && data['turn_id'] !== null) out.leave('ended')
  }
  const labelled = labelledStream(door, reader, () => out.leave('ended'))
  const textsOf = (text: string) => textsInEvent(run_id, { data: { text } })
  const following = followThread(k, reader.caller, run_id, from, {
    onEvent(event) {
      const { text, key } = event.data
      if (event.event !== 'message_delta') labelled.whole(textsInEvent(run_id, event), () => send(event))
      else labelled.piece(JSON.stringify(key), typeof text === 'string' ? text : '', textsOf, () => send(event))
    },
    onEnd: () => labelled.end(() => out.leave('ended')),
  })
  const begin = async () => {
    const followed = await following
    if (!followed.ok) out.leave('unauthorised')
    else if (isStopped) followed.value()
    else stop = followed.value
  }
  begin().catch(() => out.leave('ended'))
  return () => {
    isStopped = true
    stop()
  }
}

/** What the user said is the user's in every session; what a model wrote may repeat a tool's words. */
function textsInThread(view: ThreadView): readonly AnswerText[] {
  const of = { of_run: view.run_id }
  const said = view.messages.filter(({ role }) => role !== 'user').map((message) => message.text)
  const steps = view.plan.map(({ step }) => step)
  return [...said, ...steps, view.summary, view.question, view.last_tool_result?.output].flatMap((one) =>
    answerText('a thread', one, of),
  )
}

const textsInAgent = ({ run_id, response }: AgentAnswer): readonly AnswerText[] =>
  answerText('a thread', response, { of_run: run_id })

/** For events while a thread works. */
const textsInEvent = (run_id: string, { data }: Pick<AgentEvent, 'data'>): readonly AnswerText[] =>
  stringsUnder(data, EVENT_FIELDS).flatMap((one) => answerText('a thread', one, { of_run: run_id }))
const EVENT_FIELDS = new Set(['steps', 'args', 'output', 'response', 'text', 'message'])
