import type { Result } from '../../contract/problems.ts'
import type { DecidedApproval } from '../approvals/decide-approval.ts'
import { takeCallback, type Callback, type CallbackDeps } from './take-callback.ts'

export interface ChannelsGate {
  /** A decision that came back through a channel; its signature says whose it is. */
  takeCallback(callback: Callback): Promise<Result<DecidedApproval>>
}

export const bindChannels = (world: CallbackDeps): ChannelsGate => ({
  takeCallback: (callback) => takeCallback(world, callback),
})
