import type { Caller } from '../contract/caller.ts'
import type { JsonObject } from '../contract/json.ts'
import { problem, type Problem } from '../contract/problems.ts'
import { callerIdentity } from '../contract/caller-identity.ts'
import { judgeRead, recordRead, type JudgeReadPorts, type Read } from './proxy-judge.ts'
import type { ServerNotification, Offerings } from '../ports/upstream.ts'

export type WatchRequest = { readonly uri: string; readonly thread?: string; readonly trace?: string }

/** `rejected`: the server's own error, unchanged. */
export type WatchReply =
  | { readonly is: 'watching'; stop(): void }
  | { readonly is: 'rejected'; readonly error: JsonObject }
  | { readonly is: 'refused'; readonly problem: Problem }

export type WatchPorts = JudgeReadPorts & { readonly offerings: Offerings }

/** Called with the URI of what changed. */
export type OnUpdated = (uri: string) => void

/** The limit of watched resources per caller. */
const MOST_PER_CALLER = 256

/**
 * Watched resources: only those that the caller may read, checked again on every change.
 * INVARIANT: nobody is notified of a change of something they may not read at that moment.
 */
export function openWatching(deps: WatchPorts) {
  const watching = new Map<string, number>()
  const count = (caller: Caller, more: 1 | -1) => {
    const who = callerIdentity(caller)
    const left = (watching.get(who) ?? 0) + more
    if (left === 0) watching.delete(who)
    else watching.set(who, left)
  }

  const mayRead = async (read: Omit<Read, 'method' | 'params'>, uri: string): Promise<Problem | undefined> => {
    const judged = await judgeRead(deps, { ...read, method: 'resources/read', params: { uri } })
    if (!('verdict' in judged)) return judged
    if (judged.verdict.effect === 'allow') return undefined
    const refusal = await recordRead(deps, judged)
    return refusal === 'recorded' ? undefined : refusal
  }

  async function watch(read: Read, uri: string, onUpdated: OnUpdated): Promise<WatchReply> {
    const { caller, server } = read
    if ((watching.get(callerIdentity(caller)) ?? 0) >= MOST_PER_CALLER)
      return { is: 'refused', problem: problem('watch.too_many', { limit: String(MOST_PER_CALLER) }) }
    const unreadable = await mayRead(read, uri)
    if (unreadable !== undefined) return { is: 'refused', problem: unreadable }
    const judged = await judgeRead(deps, read)
    if (!('verdict' in judged)) return { is: 'refused', problem: judged }
    const recorded = await recordRead(deps, judged)
    if (recorded !== 'recorded') return { is: 'refused', problem: recorded }
    count(caller, 1)
    const report = oneAtATime(async (changed) => {
      const judgedNow = await judgeRead(deps, { ...read, method: 'resources/read', params: { uri: changed } })
      if ('verdict' in judgedNow && judgedNow.verdict.effect === 'allow') onUpdated(changed)
    })
    const stop = deps.offerings.onNotification((notification) => {
      const changed = notification.server === server ? changedBy(notification, uri) : undefined
      if (changed !== undefined) report(changed)
    })
    const watched = await deps.offerings.watch(server, uri)
    const leave = () => {
      stop()
      count(caller, -1)
    }
    if (watched.is !== 'watching') {
      leave()
      return watched.is === 'rejected' ? watched : { is: 'refused', problem: watched.problem }
    }
    let is_stopped = false
    return {
      is: 'watching',
      stop() {
        if (is_stopped) return
        is_stopped = true
        leave()
        watched.stop()
      },
    }
  }

  return watch
}

/** The resource a notification is about, if it is the watched one or a part of it. */
function changedBy({ method, params }: ServerNotification, watched: string): string | undefined {
  const { uri } = params
  if (method !== 'notifications/resources/updated' || typeof uri !== 'string') return undefined
  const isPart = uri.startsWith(watched) && (watched.endsWith('/') || '/?#'.includes(uri.charAt(watched.length)))
  return isPart ? uri : undefined
}

/** However often something changes, one notification is processed at a time; changes in the meantime cause one more. */
function oneAtATime(report: (uri: string) => Promise<void>): (uri: string) => void {
  const waiting = new Set<string>()
  let is_reporting = false
  async function run(): Promise<void> {
    is_reporting = true
    for (const uri of waiting) {
      waiting.delete(uri)
      // A caller that cannot be judged is not notified.
      await report(uri).catch(() => undefined)
    }
    is_reporting = false
  }
  return (uri) => {
    waiting.add(uri)
    if (!is_reporting) void run()
  }
}
