import type { CancelSignal } from '../../kernel/ports/cancel.ts'
import type { MaybePromise } from '../../kernel/ports/runtime.ts'
import type {
  ServerNotification,
  ToolReply,
  UpstreamCall,
  UpstreamQuestion,
  UpstreamReply,
  Watched,
} from '../../kernel/ports/upstream.ts'
import { count } from '../../kernel/contract/framed-text.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { admit, after, backOff, closedBreaker, isPassable, type Breaker, type Passage } from './breaker.ts'
import type { Connection, ConnectionSetup } from './connection.ts'
import { LEASE_EXPIRED, loginNeeded, notSent } from './pending-calls.ts'
import { harmlessLine } from './harmless-text.ts'
import type { ServerConfig } from './server-kind.ts'
import { serverLog } from './server-log.ts'
import { openSlots } from './slots.ts'
import type { ServerStatus, UpstreamLog } from './tool-server-status.ts'
import { openWatches } from './watches.ts'
import type { ServerTransport } from './transport.ts'
import { withTimeout } from './with-timeout.ts'

export type ToolServer = {
  call(call: UpstreamCall): Promise<ToolReply>
  ask(question: UpstreamQuestion): Promise<UpstreamReply<JsonObject>>
  watch(uri: string): Promise<Watched>
  /** As it last introduced itself. */
  capabilities(): JsonObject | undefined
  start(): void
  /** Ends the current connection, if there is one, and reconnects: somebody logged in or out. */
  reconnect(): void
  ready(): Promise<Result<ServerStatus>>
  /** Tries at once, and logs what happens. */
  retry(): Promise<void>
  status(): ServerStatus
  close(): Promise<void>
}

type Phase =
  | { readonly is: 'starting'; readonly attempt: Promise<Connection | undefined> }
  | { readonly is: 'ready'; readonly connection: Connection; readonly since: number }
  | { readonly is: 'waiting' | 'needs_login'; readonly timer?: NodeJS.Timeout }
  | { readonly is: 'closed'; readonly done: Promise<unknown> }

export type ToolServerSetup = Pick<ConnectionSetup, 'tuning' | 'identity' | 'onListed'> & {
  readonly config: Pick<ServerConfig, 'name' | 'concurrency' | 'timeout_ms' | 'mayAct'>
  /** `log`: for what the server itself prints. */
  readonly transport: (log: (line: string) => void) => ServerTransport
  readonly log: UpstreamLog
  readonly onNotification: (notification: ServerNotification) => void
}

/** Why nothing can be sent. `login`: only because somebody has to log in. */
type NoConnection = { readonly why: string; readonly login?: true }

/** Sends something on a connection. */
type Send<T> = (connection: Connection) => MaybePromise<UpstreamReply<T>>

/** One tool server: starts and restarts it, sends calls while it is healthy, and rejects them while it is not. */
export function toolServer(deps: ToolServerSetup): ToolServer {
  const { config, tuning } = deps
  const server = config.name
  const now = () => performance.now()
  const log = serverLog(server, deps.log)
  const transport = deps.transport((line) => log.say('info', line))
  const say = (level: 'info' | 'warn', says: string) => log.say(level, transport.hide(says))
  const slots = openSlots(config.concurrency, tuning.queue)
  const stop = new AbortController()
  let phase: Phase = { is: 'waiting' }
  let breaker: Breaker = closedBreaker
  let legacy = false
  let starts = 0
  /** Failures in a row without proof that the server works. */
  let failures = 0
  let late_before = 0
  let last_failure: string | undefined
  /** Why somebody has to log in, until the server is ready. */
  let login_need: string | undefined
  let capabilities: JsonObject | undefined
  let condition: 'starting' | 'up' | 'down' | 'needs_login' = 'starting'
  let since = Date.now()

  function turn(to: typeof condition): void {
    if (to === 'up') log.up()
    else log.down()
    if (condition !== to) since = Date.now()
    condition = to
  }

  /** Why it failed, in words that may come from the server. */
  const said = (says: string) => transport.hide(harmlessLine(says))

  function start(): void {
    if (phase.is !== 'waiting' && phase.is !== 'needs_login') return
    clearTimeout(phase.timer)
    phase = { is: 'starting', attempt: attempt() }
  }

  async function attempt(): Promise<Connection | undefined> {
    const opened = await transport.connect(
      {
        ...deps,
        server,
        warn: (says) => say('warn', says),
        onNotification: (method, params) => deps.onNotification({ server, method, params }),
        onDoubt: () => watches.standing().forEach(reportChanged),
        onStart: () => (starts += 1),
        stop: stop.signal,
      },
      legacy,
    )
    if (phase.is === 'closed') {
      if (opened.is === 'open') await opened.connection.close()
      return undefined
    }
    if (opened.is === 'needs_login') {
      legacy = false
      if (login_need !== said(opened.says)) say('warn', `needs a login: ${opened.says}`)
      waitForLogin(opened.says)
      return undefined
    }
    if (opened.is === 'failed') {
      legacy = false
      say('warn', `did not start: ${opened.says}`)
      fall(opened.says)
      return undefined
    }
    const { connection } = opened
    legacy = connection.legacy
    capabilities = connection.besides?.capabilities
    phase = { is: 'ready', connection, since: now() }
    turn('up')
    login_need = undefined
    const { protocol } = connection
    say(
      'info',
      `is ready with ${count(connection.tools(), 'tool')}${protocol === undefined ? '' : `, MCP ${protocol}`}`,
    )
    void connection.ended.then((how) => end(connection, how))
    void watchAgain(connection)
    return connection
  }

  const reportChanged = (uri: string) =>
    deps.onNotification({ server, method: 'notifications/resources/updated', params: { uri } })

  /** Resources that were watched before. Changes may have been missed, so each is reported as changed. */
  async function watchAgain({ besides }: Connection): Promise<void> {
    for (const uri of watches.standing()) {
      const reply = await besides?.watcher.watch(uri)
      if (reply?.is === 'answered') reportChanged(uri)
      else say('warn', `no longer reports changes of \`${uri}\``)
    }
  }

  function end(connection: Connection, how: string): void {
    late_before += connection.late()
    if (phase.is !== 'ready' || phase.connection !== connection) return
    if (now() - phase.since >= tuning.steady_ms) failures = 0
    say('warn', `ended: ${how}`)
    fall(how)
  }

  /** Waits and restarts: immediately the first time, later with a back-off. */
  function fall(says: string): void {
    last_failure = said(says)
    turn('down')
    failures += 1
    const delay = failures === 1 ? 0 : backOff(tuning.restart, failures - 1)
    const timer = setTimeout(start, delay)
    timer.unref()
    phase = { is: 'waiting', timer }
    if (delay === 0) start()
  }

  /** The server is not faulty, so there is no back-off; a login starts it immediately. */
  function waitForLogin(says: string): void {
    login_need = said(says)
    turn('needs_login')
    failures = 0
    const timer = setTimeout(start, tuning.login_retry_ms)
    timer.unref()
    phase = { is: 'needs_login', timer }
  }

  function reconnect(): void {
    if (phase.is === 'starting') return void phase.attempt.then(reconnect)
    if (phase.is !== 'ready') return start()
    const { connection } = phase
    phase = { is: 'waiting' }
    void connection.close()
    start()
  }

  // A function, because the compiler does not see that the phase changes while other code runs.
  const isWaitingForLogin = () => phase.is === 'needs_login'
  const failureNow = () => (isWaitingForLogin() ? login_need : last_failure)
  const isCurrent = (attempt: Promise<unknown>) => phase.is === 'starting' && phase.attempt === attempt

  /** The connection to call on, or why there is none. */
  async function connected(wait_ms: number, signal?: CancelSignal): Promise<Connection | NoConnection> {
    if (phase.is === 'ready' && phase.connection.isUsable()) return phase.connection
    // The connection is ending; its end starts the next one.
    if (phase.is === 'ready') await withTimeout(phase.connection.ended, wait_ms, signal)
    if (phase.is === 'ready') return { why: 'is ending' }
    if (phase.is === 'needs_login') return { why: login_need ?? '', login: true }
    if (phase.is === 'waiting' && starts === 0) start()
    if (phase.is !== 'starting')
      return { why: phase.is === 'closed' ? 'closed' : `waiting to restart: ${last_failure ?? ''}` }
    const { attempt } = phase
    const waited = await withTimeout(attempt, wait_ms, signal)
    if (waited !== undefined) return waited
    if (isCurrent(attempt)) return { why: 'is still starting' }
    if (isWaitingForLogin()) return { why: login_need ?? '', login: true }
    return { why: `did not start: ${last_failure ?? ''}` }
  }

  async function pass<T>(send: Send<T>, connection: Connection, trial: boolean): Promise<UpstreamReply<T>> {
    let passage: Passage = 'neither'
    try {
      const answer = await send(connection)
      passage = passageOf(answer)
      return answer
    } finally {
      record(passage, connection, trial)
    }
  }

  function record(passage: Passage, connection: Connection, trial: boolean): void {
    if (passage === 'ok') failures = 0
    breaker = after(tuning.breaker, breaker, { passage, trial }, now())
    // A child process that no longer answers is only replaced when no other call is waiting for it.
    if (passage === 'failed' && breaker.is === 'open' && slots.active() === 1) connection.kill()
  }

  async function sendOn<T>(send: Send<T>, wait_ms: number, signal?: CancelSignal): Promise<Sent<T>> {
    const unsent = (why: string) => ({ answer: notSent(server, why), stranded: false })
    const connection = await connected(wait_ms, signal)
    if ('why' in connection)
      return connection.login === true
        ? { answer: loginNeeded(server, connection.why), stranded: false }
        : unsent(connection.why)
    const admitted = admit(breaker, now())
    if (admitted === undefined) return unsent('too many failures in a row; a trial call is in progress')
    breaker = admitted.breaker
    const answer = await pass(send, connection, admitted.trial)
    return { answer, stranded: isStranded(answer, connection) }
  }

  /** Sends when there is a slot and a connection. */
  function letThrough<T>(send: Send<T>, signal?: CancelSignal): Promise<UpstreamReply<T>> {
    const connection = breaker.is === 'closed' && phase.is === 'ready' ? phase.connection : undefined
    if (connection?.isUsable() === true && signal?.aborted !== true && slots.takeFree())
      return sendAtOnce(send, connection, signal)
    return sendInTurn(send, signal)
  }

  /** Nearly always: connected, without failures, and a slot is free. */
  async function sendAtOnce<T>(
    send: Send<T>,
    connection: Connection,
    signal?: CancelSignal,
  ): Promise<UpstreamReply<T>> {
    const called = now()
    let passage: Passage = 'neither'
    try {
      const answer = await send(connection)
      passage = passageOf(answer)
      if (!isStranded(answer, connection)) return answer
      return (await sendOn(send, config.timeout_ms - (now() - called), signal)).answer
    } finally {
      record(passage, connection, false)
      slots.release()
    }
  }

  async function sendInTurn<T>(send: Send<T>, signal?: CancelSignal): Promise<UpstreamReply<T>> {
    const called = now()
    const left = () => config.timeout_ms - (now() - called)
    if (!isPassable(breaker, called))
      return notSent(server, 'too many failures in a row; a trial call will be allowed later')
    const slot = await slots.take(config.timeout_ms, signal)
    if (slot !== 'taken') return notSent(server, NO_SLOT[slot])
    try {
      const first = await sendOn(send, left(), signal)
      return first.stranded && left() > 0 ? (await sendOn(send, left(), signal)).answer : first.answer
    } finally {
      slots.release()
    }
  }

  /** The checks immediately before a call is sent. */
  function callOn(connection: Connection, call: UpstreamCall): Promise<ToolReply> | ToolReply {
    if (call.isCurrent?.() === false) return notSent(server, 'the tool changed after the call was judged')
    // A call can only carry inputs since MCP 2026-07-28.
    if (call.inputs !== undefined && (connection.legacy || connection.besides === undefined))
      return notSent(server, 'its tools do not ask for input')
    if (config.mayAct?.() === false) return notSent(server, LEASE_EXPIRED)
    return connection.call(call)
  }

  const ONLY_TOOLS = notSent(server, 'it only has tools')
  const watches = openWatches({
    watch: (uri) => letThrough(async ({ besides }) => besides?.watcher.watch(uri) ?? ONLY_TOOLS),
    unwatch: (uri) => phase.is === 'ready' && phase.connection.besides?.watcher.unwatch(uri),
  })

  function status(): ServerStatus {
    const connection = phase.is === 'ready' ? phase.connection : undefined
    const failure = failureNow()
    return {
      server,
      state: phase.is,
      breaker: breaker.is,
      ...(connection?.protocol === undefined ? {} : { protocol: connection.protocol }),
      tools: connection?.tools() ?? 0,
      active: slots.active(),
      queued: slots.queued(),
      starts,
      since,
      failures,
      late_answers: late_before + (connection?.late() ?? 0),
      ...(failure === undefined ? {} : { last_failure: failure }),
      stderr: transport.stderr(),
    }
  }

  return {
    call: (call) => letThrough((connection) => callOn(connection, call), call.signal),
    ask: (question) => letThrough(async ({ besides }) => besides?.ask(question) ?? ONLY_TOOLS, question.signal),
    watch: (uri) => watches.watch(uri),
    capabilities: () => capabilities,
    start,
    reconnect,
    status,
    async ready() {
      start()
      if (phase.is === 'starting') await phase.attempt
      if (phase.is === 'ready') return ok(status())
      const why = failureNow() ?? 'the gate is shutting down'
      return refuse(isWaitingForLogin() ? 'tool.login_needed' : 'tool.unavailable', { server, why })
    },
    async retry() {
      log.again()
      start()
      if (phase.is === 'starting') await withTimeout(phase.attempt, RETRY_WAIT_MS)
    },
    async close() {
      const before = phase
      if (before.is === 'waiting' || before.is === 'needs_login') clearTimeout(before.timer)
      const done =
        before.is === 'closed'
          ? before.done
          : before.is === 'ready'
            ? before.connection.close()
            : before.is === 'starting'
              ? before.attempt
              : Promise.resolve()
      phase = { is: 'closed', done }
      stop.abort()
      await done
    },
  }
}

/** How long a person waits for the attempt they asked for. */
const RETRY_WAIT_MS = 10_000

/** It was certainly not sent, because its connection had already ended. */
const isStranded = (answer: UpstreamReply<unknown>, connection: Connection): boolean =>
  answer.is === 'not_sent' && answer.problem.code !== 'tool.login_needed' && !connection.isUsable()

type Sent<T> = { readonly answer: UpstreamReply<T>; readonly stranded: boolean }

const NO_SLOT = {
  full: 'its queue is full',
  late: 'the calls before it did not finish in time',
  aborted: 'the caller cancelled',
} as const

/** Only failures of the connection count; a tool's own error arrived over a working connection. */
function passageOf(answer: UpstreamReply<unknown>): Passage {
  if (answer.is === 'answered' || answer.is === 'rejected') return 'ok'
  if (answer.is === 'not_sent' || answer.problem.about['why'] === 'aborted') return 'neither'
  return answer.problem.code === 'tool.too_large' ? 'ok' : 'failed'
}
