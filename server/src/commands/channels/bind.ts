import type { Caller } from '../../contract/caller.ts'
import type { Result } from '../../contract/problems.ts'
import type { PushAnswer, PushBody, PushSubscriptionAnswer } from '../../contract/web-push.ts'
import type { DecidedApproval } from '../approvals/decide-approval.ts'
import type { Notices } from '../ports/notices.ts'
import { takeCallback, type Callback, type CallbackDeps } from './take-callback.ts'
import { listPushes, removePush, subscribePush, tellBrowsers, type PushDeps } from './web-push.ts'

export interface ChannelsGate {
  /** A decision that came back through a channel; its signature says whose it is. */
  takeCallback(callback: Callback): Promise<Result<DecidedApproval>>
  /** Browsers that tell a person of new requests. */
  readonly push: {
    list(caller: Caller): Promise<Result<PushAnswer>>
    subscribe(caller: Caller, wanted: PushBody): Promise<Result<PushSubscriptionAnswer>>
    remove(caller: Caller, push_id: string): Promise<Result<PushSubscriptionAnswer>>
  }
}

export function bindChannels(
  world: CallbackDeps & PushDeps & { readonly notices: Pick<Notices, 'subscribe'> },
): ChannelsGate {
  tellBrowsers(world)
  return {
    takeCallback: (callback) => takeCallback(world, callback),
    push: {
      list: (caller) => listPushes(world, caller),
      subscribe: (caller, wanted) => subscribePush(world, caller, wanted),
      remove: (caller, id) => removePush(world, caller, id),
    },
  }
}
