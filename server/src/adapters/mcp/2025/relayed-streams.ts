import { randomBytes } from 'node:crypto'
import type { McpPorts } from '../mcp-ports.ts'
import type { RelayNotice } from '../../../kernel/ports/notices.ts'
import type { Caller } from '../../../kernel/contract/caller.ts'
import type { McpEventStream } from '../event-stream.ts'
import { clientKeyOf, type ClientContext } from '../http-context.ts'
import type { StreamPlace, ResumableStreams, SentEvent } from './resumable-streams.ts'
import { textOf } from '../rpc.ts'
import { threadOfSession } from '../mcp-sessions.ts'
import { showsOutputSchema } from '../shown-definition.ts'
import { requestIn } from './stream-names.ts'
import { callResult } from '../task-results.ts'

/** How long to wait for another node to say that it has the stream. */
const ANSWER_MS = 1_000
/** How often a node repeats that its client is listening. Without that, the owner of the stream stops sending after `GONE_MS`. */
const AGAIN_MS = 4_000
const GONE_MS = 4 * AGAIN_MS

type EventsNotice = Extract<RelayNotice, { is: 'told' }>
type Resumed = Extract<RelayNotice, { is: 'resumed' }>
/** A stream of this node that a client reads through another node. */
type Pipe = { again(after: number): void }

export type RelayedStreams = {
  /** Resumes a stream that this node does not have. Returns false if no node has it and no call was made for it. */
  resume(client: ClientContext, place: StreamPlace, open: () => McpEventStream): Promise<boolean>
}

export type RelayedSetup = {
  readonly gate: McpPorts
  readonly resumable: ResumableStreams
  readonly stopping: AbortSignal
  readonly onFault: (error: unknown) => void
}

/**
 * Streams that a client lost at one node and resumes at another. The node that answers the request keeps the stream and sends the
 * missing events.
 */
export function relayedStreams({ gate, resumable, stopping, onFault }: RelayedSetup): RelayedStreams {
  const { relay } = gate
  const pipes = new Map<string, Pipe>()
  const receivers = new Map<string, (notice: EventsNotice) => void>()

  function share({ client, stream, after, by }: Resumed): void {
    const known = pipes.get(by)
    if (known !== undefined) return known.again(after)
    let leave: (() => void) | undefined
    const close = () => {
      pipes.delete(by)
      leave?.()
    }
    leave = resumable.resume(client, { stream, after }, (caller) => {
      const { pipe, live } = openPipe(caller, stream, by, close)
      pipes.set(by, pipe)
      return live
    })
    // The other node waits for an answer, even if there is nothing new.
    pipes.get(by)?.again(after)
  }

  function openPipe(
    caller: Caller,
    stream: string,
    by: string,
    close: () => void,
  ): { pipe: Pipe; live: McpEventStream } {
    let waiting: SentEvent[] = []
    let isOver = false
    let isFlushing = false
    let isAsked = false
    let gone: NodeJS.Timeout | undefined
    const flush = async (): Promise<void> => {
      while (isAsked || waiting.length > 0) {
        const batch = waiting
        waiting = []
        isAsked = false
        const events = batch.length === 0 ? undefined : await relay.store(caller, JSON.stringify(batch))
        // Events that could not be stored are requested again.
        if (batch.length > 0 && events === undefined) return
        const is_over = isOver && waiting.length === 0
        relay.publish({ is: 'told', by, ...(events === undefined ? {} : { events }), is_over })
        if (is_over) finish()
      }
    }
    const flushSoon = () => {
      if (isFlushing) return
      isFlushing = true
      void flush()
        .catch(onFault)
        .finally(() => (isFlushing = false))
    }
    const finish = () => {
      clearTimeout(gone)
      close()
    }
    const pipe: Pipe = {
      again(after) {
        clearTimeout(gone)
        gone = setTimeout(finish, GONE_MS).unref()
        waiting = [...resumable.eventsAfter({ stream, after })]
        isAsked = true
        flushSoon()
      },
    }
    const live: McpEventStream = {
      send(text, id) {
        waiting.push({ number: Number(id?.slice(stream.length + 1)), text })
        flushSoon()
      },
      prime: () => undefined,
      end() {
        isOver = true
        isAsked = true
        flushSoon()
      },
    }
    return { pipe, live }
  }

  async function resume(
    client: ClientContext,
    { stream, after }: StreamPlace,
    open: () => McpEventStream,
  ): Promise<boolean> {
    const { caller, session, response } = client
    const by = randomBytes(12).toString('base64url')
    let last = after
    let live: McpEventStream | undefined
    let silent = 0
    const { promise: first, resolve: resolveFirst } = Promise.withResolvers<boolean>()
    const ask = () => relay.publish({ is: 'resumed', client: clientKeyOf(caller, session), stream, after: last, by })
    const deliver = async ({ events, is_over }: EventsNotice): Promise<void> => {
      const text = events === undefined ? undefined : await relay.load(caller, events)
      // The stored events could not be read, so they are requested again.
      if (events !== undefined && text === undefined) return
      if (response.destroyed) return
      live ??= open()
      for (const { number, text: message } of JSON.parse(text ?? '[]') as SentEvent[]) {
        if (number <= last) continue
        live.send(message, `${stream}.${number}`)
        last = number
      }
      if (is_over) live.end()
    }
    let delivering = Promise.resolve()
    receivers.set(by, (notice) => {
      silent = 0
      delivering = delivering.then(() => deliver(notice)).catch(onFault)
      resolveFirst(true)
    })
    const leave = () => {
      receivers.delete(by)
      clearInterval(again)
      clearTimeout(late)
    }
    const fallBack = async (): Promise<boolean> => {
      leave()
      const isAnswered = await answerFromCall({ gate, stopping }, client, { stream, after: last }, () => live ?? open())
      if (!isAnswered) live?.end()
      return isAnswered
    }
    const again = setInterval(() => {
      silent += 1
      if (silent > 2) void fallBack().catch(onFault)
      else ask()
    }, AGAIN_MS)
    const late = setTimeout(() => resolveFirst(false), ANSWER_MS)
    response.once('close', leave)
    ask()
    if (!(await first)) return fallBack()
    clearTimeout(late)
    await delivering
    return true
  }

  relay.onNotice((notice) => {
    if (notice.is === 'resumed') share(notice)
    if (notice.is === 'told') receivers.get(notice.by)?.(notice)
  })
  return { resume }
}

const WAIT_MS = 20_000
/** Clocks of nodes may differ by this much. */
const CLOCKS_MS = 60_000

/**
 * Answers a request whose node died with the outcome of its call. Nothing is executed: the node that takes over the dead node's
 * calls settles this one too. Returns false if the stream's name contains no request, or no call was made for it.
 */
async function answerFromCall(
  { gate, stopping }: { readonly gate: McpPorts; readonly stopping: AbortSignal },
  { caller, session, surface, response }: ClientContext,
  { stream, after }: StreamPlace,
  open: () => McpEventStream,
): Promise<boolean> {
  const request = requestIn(stream)
  if (request === undefined || session === undefined) return false
  const call = await gate.relay.callOfStream(caller, threadOfSession(session), stream, request.at - CLOCKS_MS)
  if (call === undefined || response.destroyed) return false
  const live = open()
  while (!response.destroyed && !stopping.aborted) {
    const read = await gate.readCall(caller, call.call_id, WAIT_MS)
    if (read.ok && read.value.status === 'executing') continue
    const outcome = read.ok ? read.value : { status: 'refused' as const, problem: read.problem, evidence: [] }
    // Only streams of sessions can be resumed, and sessions ended with 2026-07-28.
    const hasSchema = () => surface !== 'search' && showsOutputSchema(gate, caller, call.tool_id, 'old')
    live.send(textOf(request.id, callResult(gate, outcome, hasSchema)), `${stream}.${after + 1}`)
    break
  }
  live.end()
  return true
}
