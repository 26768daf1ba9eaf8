import type { StoredVolume } from '../attempt/stored-volume.ts'
import type { ExecuteCall } from '../attempt/execute-call.ts'
import type { RunningCalls } from '../attempt/running-calls.ts'
import type { ToolViews } from '../catalogue/tool-views.ts'
import type { VisibleTools } from '../catalogue/visible-tools.ts'
import type { Changes } from '../changes/changes.ts'
import type { Watch } from '../changes/watch-rows.ts'
import type { CallId } from '../contract/ids.ts'
import type { claimCall } from '../attempt/decided.ts'
import type { Policies } from '../policy/policies.ts'
import type { Proxy } from '../proxy/proxy.ts'
import type { Dispatch } from './observers.ts'
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
  readonly dispatch: Dispatch
  readonly toolViews: ToolViews
  /** Resources, prompts and completions of tool servers. */
  readonly proxy: Proxy
  readonly policies: Policies
  /** Reports changes of calls, approvals, tools, pauses and policies, as far as the caller may see them. */
  readonly changes: Changes
  readonly onShown: Ports['shown']['onShown']
  /** Deletes what guests have of a person outside of the store. */
  readonly eraseElsewhere: (user: string) => Promise<void>
}
