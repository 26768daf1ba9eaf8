import type { StoredVolume } from '../attempt/stored-volume.ts'
import type { ExecuteCall } from '../attempt/execute-call.ts'
import type { RunningCalls } from '../attempt/running-calls.ts'
import type { VisibleTools } from '../catalogue/visible-tools.ts'
import type { Watch } from '../changes/watch-rows.ts'
import type { CallId } from '../contract/ids.ts'
import type { claimCall } from '../attempt/decided.ts'
import type { Ports } from './guest-ports.ts'
import type { TokenKeys } from './keys.ts'

/** The ports, and what one process keeps of the calls and readers that it serves. */
export type BoundPorts = Ports & {
  readonly execute: ExecuteCall
  readonly claim: (call_id: CallId) => ReturnType<typeof claimCall>
  readonly running: RunningCalls
  readonly volume: StoredVolume
  readonly visibleTools: VisibleTools
  readonly watch: Watch
  readonly tokens: TokenKeys
}
