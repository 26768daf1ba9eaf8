import type { Caller } from '../contract/caller.ts'
import type { Result } from '../contract/problems.ts'
import type { PushAnswer, PushBody, PushSubscriptionAnswer } from '../contract/web-push.ts'
import type { DecidedApproval } from './decide-approval.ts'
import type { Channel } from './channels-use.ts'
import { takeCallback, type Callback, type CallbackDeps } from '../../guests/webhook/take-callback.ts'
import { listPushes, removePush, subscribePush, type PushDeps } from '../../guests/web-push/web-push-use.ts'

export interface ChannelsGate {
  /** A decision that came back through a channel; its signature says whose it is. */
  takeCallback(callback: Callback): Promise<Result<DecidedApproval>>
  /** The configured channels. `answers`: a decision can come back through it. */
  list(): readonly { readonly name: string; readonly events: readonly string[]; readonly answers: boolean }[]
  /** Browsers that notify a person of new requests. */
  readonly push: {
    list(caller: Caller): Promise<Result<PushAnswer>>
    subscribe(caller: Caller, wanted: PushBody): Promise<Result<PushSubscriptionAnswer>>
    remove(caller: Caller, push_id: string): Promise<Result<PushSubscriptionAnswer>>
  }
}

export function bindChannels(deps: CallbackDeps & PushDeps & { readonly channels: readonly Channel[] }): ChannelsGate {
  return {
    takeCallback: (callback) => takeCallback(deps, callback),
    list: () => deps.channels.map(({ name, events }) => ({ name, events, answers: deps.callbacks.has(name) })),
    push: {
      list: (caller) => listPushes(deps, caller),
      subscribe: (caller, wanted) => subscribePush(deps, caller, wanted),
      remove: (caller, id) => removePush(deps, caller, id),
    },
  }
}
