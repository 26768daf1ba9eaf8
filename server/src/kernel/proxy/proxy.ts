import type { Answerable } from '../approvals/asks.ts'
import type { Caller } from '../contract/caller.ts'
import { isJsonObject, type JsonObject } from '../contract/json.ts'
import { ok, problem, type Problem } from '../contract/problems.ts'
import type { StoredVolume } from '../attempt/stored-volume.ts'
import type { Intake } from '../attempt/intake.ts'
import { judgeRead, recordRead, type JudgeReadPorts, type Read } from './proxy-judge.ts'
import { listServers, type ListPorts, LISTS, openListCache, type ListMethod, type ListCache } from './proxy-lists.ts'
import { openWatching, type OnUpdated, type WatchReply, type WatchRequest } from './proxy-watch.ts'
import { idleSession } from '../identity/idle-session.ts'
import type { CallListeners, ServerNotification, Offerings } from '../ports/upstream.ts'
import { textLabel, type Entering } from '../sessions/labels.ts'
import { isUnrecorded, whyUnrecorded } from '../changes/unrecorded.ts'

/** The methods that are passed on besides calls. */
export const PROXIED = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const
export type ProxiedMethod = (typeof PROXIED)[number]
export const isProxied = (method: string): method is ProxiedMethod => PROXIED.some((each) => each === method)

export type ProxyRequest = CallListeners & {
  readonly method: ProxiedMethod
  readonly params: JsonObject
  readonly thread?: string
  readonly trace?: string
  readonly answerable?: Answerable
}

/** `rejected`: the server's own error, unchanged. */
export type ProxyReply =
  | { readonly is: 'answered'; readonly result: JsonObject }
  | { readonly is: 'rejected'; readonly error: JsonObject }
  | { readonly is: 'refused'; readonly problem: Problem }

export type ProxyPorts = JudgeReadPorts & ListPorts & { readonly intake: Intake; readonly volume: StoredVolume }

export type Proxy = {
  ask(caller: Caller, request: ProxyRequest): Promise<ProxyReply>
  /** Reports when a resource, or a part of it, changes, as long as the caller may read it; until it is stopped. */
  watch(caller: Caller, request: WatchRequest, onUpdated: OnUpdated): Promise<WatchReply>
  /** What is offered besides tools, to anybody: `resources`, `resources/subscribe`, `prompts`, `completions`. */
  offers(): ReadonlySet<string>
  /** Servers' notifications about their resources and prompts, as far as the caller may list them. Returns a function that stops it. */
  onNotification(caller: Caller, listener: (notification: ServerNotification) => void): () => void
}

/** Resources, prompts and completions of tool servers: judged as reads of their server, recorded, requested, passed on. */
export function openProxy(deps: ProxyPorts): Proxy {
  const cache = openListCache(deps)
  const { offerings } = deps
  offerings.onNotification(({ server, method }) => {
    for (const list of DOUBTED[method] ?? []) cache.doubt(server, list)
  })

  async function ask(caller: Caller, request: ProxyRequest): Promise<ProxyReply> {
    const closed = deps.intake.closedBy()
    if (closed !== undefined) return refused(closed)
    const over = await deps.volume.over(caller)
    if (over !== undefined) return refused(over)
    const thread = await threadOf(caller, request)
    if (!thread.ok) return refused(thread.problem)
    const reads = readsOf(caller, thread.value, request)
    const { trace } = reads
    if (isList(request.method)) return listed(request.method, { ...request, trace }, reads)
    const found = await find(request, trace)
    if (found === undefined) return refused(problem('read.unknown', { method: request.method }))
    return passOn({ ...reads, method: request.method, ...found }, request)
  }

  const threadOf = (caller: Caller, { thread }: Pick<WatchRequest, 'thread'>) =>
    thread === undefined ? idleSession(deps, caller) : ok(thread)

  const readsOf = (caller: Caller, thread: string, { trace }: Pick<WatchRequest, 'trace'>): Reads => ({
    caller,
    thread,
    trace: trace ?? deps.ids.trace(),
  })

  const begin = openWatching(deps)
  async function watch(caller: Caller, request: WatchRequest, onUpdated: OnUpdated): Promise<WatchReply> {
    const closed = deps.intake.closedBy()
    if (closed !== undefined) return { is: 'refused', problem: closed }
    const thread = await threadOf(caller, request)
    if (!thread.ok) return { is: 'refused', problem: thread.problem }
    const reads = readsOf(caller, thread.value, request)
    const params = { uri: request.uri }
    const found = await find({ method: 'resources/read', params }, reads.trace)
    if (found === undefined)
      return { is: 'refused', problem: problem('read.unknown', { method: 'resources/subscribe' }) }
    if (!offersSubscriptions(offerings, found.server))
      return { is: 'refused', problem: problem('watch.not_offered', { server: found.server }) }
    return begin({ ...reads, method: 'resources/subscribe', ...found }, request.uri, onUpdated)
  }

  async function listed(method: ListMethod, request: ProxyRequest & Traced, reads: Reads): Promise<ProxyReply> {
    const servers = serversWith(offerings, method)
    const judged = await Promise.all(servers.map((server) => judgeRead(deps, { ...reads, server, method, params: {} })))
    const allowed = servers.filter((_, at) => {
      const one = judged[at]
      return one !== undefined && 'verdict' in one && one.verdict.effect === 'allow'
    })
    const recorded = await deps.ledger.commit([{ kind: 'audit', entry: listEntry(deps, reads, method, allowed) }])
    if (recorded !== 'committed') return refused(whyUnrecorded(recorded))
    await listServers(deps, cache, allowed, method, request)
    const answer = { is: 'answered', result: { [LISTS[method].field]: cache.merged(allowed, method) } } as const
    return allowed.length === 0
      ? answer
      : label({ ...reads, server: allowed.join(','), method, params: {}, kind: 'resource' }, answer)
  }

  /** Which server a request is for, and what to ask there. For an unknown name the lists are read once more. */
  async function find({ method, params }: ProxyRequest, trace: string): Promise<Found | undefined> {
    const target = targetOf(method, params)
    if (target === undefined) return undefined
    const servers = serversWith(offerings, target.is === 'prompt' ? 'prompts/list' : 'resources/list')
    const known = lookUp(cache, servers, target)
    const lists = target.is === 'prompt' ? PROMPT_LISTS : RESOURCE_LISTS
    if (known === undefined && lists.some((list) => cache.isWorthAsking(servers, list)))
      await Promise.all(lists.map((list) => listServers(deps, cache, servers, list, { trace })))
    const [only] = servers.length === 1 ? servers : []
    const found = known ?? lookUp(cache, servers, target)
    if (found !== undefined) return { server: found.server, params: target.named(found.name) }
    // If there is only one server, it may have what it did not list, so it is asked.
    return only === undefined || target.is === 'prompt' ? undefined : { server: only, params }
  }

  async function passOn(read: Read, live: CallListeners & Pick<ProxyRequest, 'answerable'>): Promise<ProxyReply> {
    const judged = await judgeRead(deps, read)
    if (!('verdict' in judged)) return refused(judged)
    const recorded = await recordRead(deps, judged)
    if (recorded !== 'recorded') return refused(recorded)
    const { server, method, params, trace } = read
    const reply = await offerings.ask({ ...live, server, method, params, trace })
    return 'problem' in reply ? refused(reply.problem) : label({ ...read, kind: KINDS[method] ?? 'resource' }, reply)
  }

  /** The answer of a server enters the session before the client gets it. The same text is stored once. */
  async function label(read: Read & { readonly kind: Entering['kind'] }, reply: ProxyReply): Promise<ProxyReply> {
    if (reply.is === 'refused') return reply
    const { caller, thread, server, kind, method } = read
    const text = JSON.stringify(reply.is === 'answered' ? reply.result : reply.error)
    deps.volume.add(caller, text)
    const id = deps.digest(JSON.stringify([caller.user, thread, server, text]))
    const source = { server, name: `${server}__${method}` }
    const changes = textLabel({ id, caller, thread, kind, source, text, at: deps.clock() })
    const kept = changes.length === 0 ? 'committed' : await deps.ledger.commit(changes)
    if (isUnrecorded(kept)) return refused(whyUnrecorded(kept))
    deps.sessions.note(caller, thread)
    return reply
  }

  async function notify(
    caller: Caller,
    listener: (notification: ServerNotification) => void,
    notification: ServerNotification,
  ): Promise<void> {
    // `watch` reports changes of single resources.
    if (notification.method === 'notifications/resources/updated') return
    const method = notification.method === 'notifications/prompts/list_changed' ? 'prompts/list' : 'resources/list'
    const judged = await judgeRead(deps, {
      ...readsOf(caller, NOTICES, {}),
      server: notification.server,
      method,
      params: {},
    })
    if ('verdict' in judged && judged.verdict.effect === 'allow') listener(notification)
  }

  return {
    ask,
    watch,
    offers: () =>
      new Set(
        offerings
          .offers()
          .flatMap(({ server, capabilities }) => [
            ...Object.keys(capabilities),
            ...(offersSubscriptions(offerings, server) ? ['resources/subscribe'] : []),
          ]),
      ),
    onNotification: (caller, listener) =>
      offerings.onNotification((notification) => void notify(caller, listener, notification)),
  }
}

const KINDS: Readonly<Partial<Record<string, Entering['kind']>>> = {
  'resources/read': 'resource',
  'prompts/get': 'prompt',
  'completion/complete': 'completion',
}

/** Reporting a change is not an action of the caller, so it belongs to none of its sessions. */
const NOTICES = 'notifications'

type Traced = { readonly trace: string }
type Reads = Pick<Read, 'caller' | 'thread' | 'trace'>
type Found = Pick<Read, 'server' | 'params'>

const PROMPT_LISTS = ['prompts/list'] as const
const RESOURCE_LISTS = ['resources/list', 'resources/templates/list'] as const
const DOUBTED: Readonly<Partial<Record<ServerNotification['method'], readonly ListMethod[]>>> = {
  'notifications/resources/list_changed': RESOURCE_LISTS,
  'notifications/prompts/list_changed': PROMPT_LISTS,
}

const isList = (method: ProxiedMethod): method is ListMethod => Object.hasOwn(LISTS, method)
const refused = (why: Problem): ProxyReply => ({ is: 'refused', problem: why })

/** Whether a server says that it reports changes of single resources. */
function offersSubscriptions(offerings: Offerings, server: string): boolean {
  const { resources } = offerings.offers().find((one) => one.server === server)?.capabilities ?? {}
  return isJsonObject(resources) && resources['subscribe'] === true
}

function serversWith(offerings: Offerings, method: ListMethod): readonly string[] {
  const capability = method === 'prompts/list' ? 'prompts' : 'resources'
  return offerings.offers().flatMap(({ server, capabilities }) => (capability in capabilities ? [server] : []))
}

/** What a request is about, and its params once the server's own name for it is known. */
type Target = {
  readonly is: 'resource' | 'prompt'
  readonly name: string
  readonly named: (name: string) => JsonObject
}

function targetOf(method: ProxiedMethod, params: JsonObject): Target | undefined {
  const { uri, name, ref } = params
  if (method === 'resources/read' && typeof uri === 'string') return { is: 'resource', name: uri, named: () => params }
  if (method === 'prompts/get' && typeof name === 'string')
    return { is: 'prompt', name, named: (own) => ({ ...params, name: own }) }
  if (method !== 'completion/complete' || !isJsonObject(ref)) return undefined
  if (ref['type'] === 'ref/prompt' && typeof ref['name'] === 'string')
    return { is: 'prompt', name: ref['name'], named: (own) => ({ ...params, ref: { ...ref, name: own } }) }
  return typeof ref['uri'] === 'string' ? { is: 'resource', name: ref['uri'], named: () => params } : undefined
}

function lookUp(cache: ListCache, servers: readonly string[], { is, name }: Target) {
  if (is === 'prompt') return cache.promptOf(servers, name)
  const server = cache.ownerOf(servers, name)
  return server === undefined ? undefined : { server, name }
}

function listEntry(deps: ProxyPorts, { caller, thread, trace }: Reads, method: string, allowed: readonly string[]) {
  const about = { method, servers: [...allowed] }
  return { at: deps.clock(), type: 'read.listed' as const, actor: caller.id, trace, subject: { thread }, about }
}
