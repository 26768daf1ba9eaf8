import type { Context } from 'hono'
import type { FollowedEvent } from './follow-thread.ts'
import type { Reader } from '../../kernel/sessions/enter-session.ts'
import { textsInAgent, textsInEvent, textsInThread } from '../../kernel/sessions/answer-texts.ts'
import type { Gate } from '../../main/gate.ts'
import { AgentBody, type AgentAnswer } from './agent.ts'
import { listOf } from '../../kernel/contract/answers.ts'
import { AgentAnswerBody, ThreadAnswer, ThreadSummaryAnswer } from './thread-answers.ts'
import { callerIdentity } from '../../kernel/contract/caller-identity.ts'
import { problem } from '../../kernel/contract/problems.ts'
import { jsonResponse, problemResponse } from '../../adapters/http/problem.ts'
import { eventStream, OpenStreams, type EventOut, type EventStream } from '../../adapters/http/event-stream.ts'
import { labelledStream } from '../../adapters/http/label-events.ts'
import { PAGED } from '../../adapters/http/parameters.ts'
import { numberOf, pageOf, partOf, readerOf } from '../../adapters/http/query.ts'
import type { App, Door } from '../../adapters/http/door.ts'
import { CALLERS } from '../../adapters/http/access.ts'
import { route, routeWithBody, stillAllowed } from '../../adapters/http/route.ts'

const WAIT_MS = 60_000

/** The agent runtime: messages in, answers and events out. */
export function agentRoutes(
  app: App,
  gate: Gate,
  options: Pick<EventStream, 'stopping' | 'heartbeat_ms' | 'waiting_bytes'>,
): void {
  const open = new OpenStreams()

  const follow = async (c: Context<Door>, run_id: string, from: string | undefined, hasFinal: boolean) => {
    const caller = c.get('caller')
    const who = callerIdentity(caller)
    if (options.stopping.aborted) return problemResponse(problem('gate.stopping'), c.get('trace'))
    if (open.isFull(who))
      return problemResponse(problem('stream.too_many', { limit: String(open.most) }), c.get('trace'))
    // Checked before the stream opens, so that another caller's thread is answered with 404.
    const known = await gate.agent.read(caller, run_id)
    if (!known.ok) return problemResponse(known.problem, c.get('trace'))
    return eventStream({
      ...options,
      isStillAllowed: stillAllowed(c),
      onEnd: open.take(who),
      begin: (out) => streamThread(gate, readerOf(c), { run_id, from, hasFinal }, out),
    })
  }

  for (const path of ['/agent/run', '/chat'] as const)
    app.openapi(
      routeWithBody({
        method: 'post',
        path,
        query: ['wait_ms', 'session'],
        access: CALLERS,
        keeps_keys: true,
        summary: 'A message to an agent; answers with the end of its turn, or streams it (`Accept: text/event-stream`)',
        body: AgentBody,
        status: [200, 202],
        answers: AgentAnswerBody,
      }),
      async (c) => {
        const body = c.req.valid('json')
        const key = body.idempotency_key ?? c.req.header('idempotency-key')
        const asked = { ...body, ...(key === undefined ? {} : { idempotency_key: key }) }
        const isStreamed = (c.req.header('accept') ?? '').includes('text/event-stream')
        const wait_ms = isStreamed ? 0 : numberOf(c, 'wait_ms', WAIT_MS)
        const before = isStreamed ? await placeBefore(gate, c, body.thread_id) : undefined
        const ran = await gate.agent.run(c.get('caller'), asked, { trace: c.get('trace'), wait_ms })
        const answer = await gate.readings.labelled(readerOf(c), ran, textsInAgent)
        if (!answer.ok) return problemResponse(answer.problem, c.get('trace'))
        if (isStreamed && answer.value.status === 'running') return follow(c, answer.value.run_id, before, true)
        if (isStreamed) return endedTurn(options, answer.value)
        if (answer.value.status === 'running') return jsonResponse(202, answer.value)
        const shown = path === '/chat' ? answer.value : await gate.agent.withDevToken(c.get('caller'), answer.value)
        return jsonResponse(200, shown)
      },
    )

  app.openapi(
    route({
      method: 'get',
      path: '/agent/runs/{run_id}',
      query: ['session'],
      access: CALLERS,
      summary: 'A whole thread: its messages, plan, pending calls and cost',
      answers: ThreadAnswer,
    }),
    async (c) => {
      const found = await gate.agent.read(c.get('caller'), partOf(c, 'run_id'))
      const thread = await gate.readings.labelled(readerOf(c), found, textsInThread)
      return thread.ok ? jsonResponse(200, thread.value) : problemResponse(thread.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/agent/runs/{run_id}/events',
      query: ['session'],
      media: 'text/event-stream',
      access: CALLERS,
      summary: 'The events of a thread, from its beginning or after `Last-Event-ID`, as server-sent events',
    }),
    (c) => follow(c, partOf(c, 'run_id'), c.req.header('last-event-id'), false),
  )

  app.openapi(
    route({
      method: 'get',
      path: '/agent/threads/{thread_id}',
      query: ['session'],
      access: CALLERS,
      summary: 'One of your threads as a whole, by its id, for export',
      answers: ThreadAnswer,
    }),
    async (c) => {
      const found = await gate.agent.readByThread(c.get('caller'), partOf(c, 'thread_id'))
      const thread = await gate.readings.labelled(readerOf(c), found, textsInThread)
      return thread.ok ? jsonResponse(200, thread.value) : problemResponse(thread.problem, c.get('trace'))
    },
  )

  app.openapi(
    route({
      method: 'get',
      path: '/agent/threads',
      query: PAGED,
      access: CALLERS,
      summary: 'Your threads, newest first',
      answers: listOf(ThreadSummaryAnswer),
    }),
    async (c) => jsonResponse(200, await gate.agent.list(c.get('caller'), pageOf(c))),
  )

  app.openapi(
    route({
      method: 'post',
      path: '/agent/threads/{thread_id}/cancel',
      query: ['session'],
      access: CALLERS,
      status: [202],
      summary: 'Stop a thread; a call that waits for a person is withdrawn, a running call is cancelled',
      answers: ThreadAnswer,
    }),
    async (c) => {
      const ended = await gate.agent.cancel(c.get('caller'), partOf(c, 'thread_id'))
      const cancelled = await gate.readings.labelled(readerOf(c), ended, textsInThread)
      return cancelled.ok ? jsonResponse(202, cancelled.value) : problemResponse(cancelled.problem, c.get('trace'))
    },
  )
}

/** The turn has already ended: the same request was sent twice. */
const endedTurn = (options: Pick<EventStream, 'stopping'>, { response, status }: AgentAnswer): Response =>
  eventStream({
    ...options,
    isStillAllowed: async () => true,
    onEnd() {},
    begin(out) {
      out.send('final', { turn_id: null, status, response })
      out.leave('ended')
      return () => {}
    },
  })

/** The newest event before the message, so that its stream has only later events. */
async function placeBefore(gate: Gate, c: Context<Door>, thread_id: string | undefined): Promise<string | undefined> {
  return thread_id === undefined ? undefined : gate.agent.place(c.get('caller'), thread_id)
}

type Followed = { readonly run_id: string; readonly from: string | undefined; readonly hasFinal: boolean }

function streamThread(gate: Gate, reader: Reader, { run_id, from, hasFinal }: Followed, out: EventOut): () => void {
  let stop = () => {}
  let isStopped = false
  const send = ({ event, data, id }: FollowedEvent) => {
    out.send(event, data, id)
    // The stream of one message ends with its answer.
    if (hasFinal && event === 'final' && data['turn_id'] !== null) out.leave('ended')
  }
  const labelled = labelledStream(gate, reader, () => out.leave('ended'))
  const textsOf = (text: string) => textsInEvent(run_id, { data: { text } })
  const following = gate.agent.follow(reader.caller, run_id, from, {
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
