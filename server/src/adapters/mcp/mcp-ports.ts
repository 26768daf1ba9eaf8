import type { CallRequest, Outcome } from '../../kernel/contract/call.ts'
import type { Caller } from '../../kernel/contract/caller.ts'
import type { Json, JsonObject } from '../../kernel/contract/json.ts'
import type { Result } from '../../kernel/contract/problems.ts'
import {
  grepArtifact,
  type ArtifactHits,
  type ArtifactQuery,
  type GrepPorts,
} from '../../kernel/artifacts/grep-artifact.ts'
import { readArtifact } from '../../kernel/artifacts/read-artifact.ts'
import {
  cancelTask,
  type CancelDeps,
  listTasks,
  readTask,
  type CallTask,
  type TasksPage,
} from '../../kernel/attempt/call-task.ts'
import { readCall, type ReadCallDeps } from '../../kernel/attempt/read-call.ts'
import type { ToolViews } from '../../kernel/catalogue/tool-views.ts'
import type { Changes } from '../../kernel/changes/changes.ts'
import type { PolicyWarning } from '../../kernel/contract/policy.ts'
import type { LivePolicy } from '../../kernel/policy/live-policy.ts'
import { warningsOf } from '../../kernel/policy/show.ts'
import type { BoundPorts } from '../../kernel/ports/bound-ports.ts'
import type { Page } from '../../kernel/ports/reads.ts'
import type { CallListeners } from '../../kernel/ports/upstream.ts'
import type { Proxy } from '../../kernel/proxy/proxy.ts'
import { enterSession, type AnswerText, type EnterPorts, type Reader } from '../../kernel/sessions/enter-session.ts'
import type { McpExchange } from './exchange.ts'
import { openRelay, type Relay, type RelaySetup } from './2025/relay.ts'
import type { RpcResult } from './rpc.ts'

/** A tool of the gate itself. */
export type OwnTool = {
  readonly definition: JsonObject & { readonly name: string }
  /** Whether it calls a tool behind the gate. Such a call may take long and may be a task. */
  readonly calls: boolean
  run(gate: McpPorts, exchange: McpExchange, args: Json): Promise<RpcResult>
}

/** Tools that a guest adds. They are listed while they are on. */
export type GuestTools = { readonly tools: readonly OwnTool[]; on(): Promise<boolean> }

declare module '../../kernel/registries.ts' {
  interface Guest {
    readonly ownTools?: () => Promise<(ports: BoundPorts) => GuestTools>
  }
}

/** What the MCP door needs of the gate. */
export interface McpPorts {
  readonly version: string
  /** The tools that guests add to those of the gate. */
  readonly guestTools: readonly GuestTools[]
  /** The codes of the gate's problems, which a tool server's error must not contain. */
  readonly ownCodes: ReadonlySet<string>
  readonly toolViews: ToolViews
  /** Resources, prompts and completions of tool servers. */
  readonly proxy: Proxy
  readonly relay: Relay
  readonly changes: Pick<Changes, 'onChange'>
  dispatch(request: CallRequest, listeners?: CallListeners): Promise<Outcome>
  readCall(caller: Caller, call_id: string, wait_ms?: number): Promise<Result<Outcome>>
  readTask(caller: Caller, call_id: string, waiting?: AbortSignal): Promise<Result<CallTask>>
  listTasks(caller: Caller, page: Omit<Page, 'newest_first'>): Promise<TasksPage>
  cancelTask(caller: Caller, call_id: string): Promise<Result<CallTask>>
  readArtifact(
    reader: Reader,
    digest: string,
    from: number,
    length: number,
  ): Promise<Result<{ text: string; size: number }>>
  grepArtifact(reader: Reader, digest: string, query: ArtifactQuery): Promise<Result<ArtifactHits>>
  /** The same answer, once its texts are in the session of the reader. */
  labelled<T>(reader: Reader, answer: Result<T>, texts: (value: T) => readonly AnswerText[]): Promise<Result<T>>
  notices(): readonly PolicyWarning[]
}

type UsedPorts = ReadCallDeps &
  CancelDeps &
  GrepPorts &
  EnterPorts & { readonly live: LivePolicy } & Pick<
    McpPorts,
    'version' | 'toolViews' | 'proxy' | 'changes' | 'dispatch'
  > &
  RelaySetup

export const mcpPorts = (
  k: UsedPorts,
  { guestTools, ownCodes }: Pick<McpPorts, 'guestTools' | 'ownCodes'>,
): McpPorts => ({
  version: k.version,
  guestTools,
  ownCodes,
  toolViews: k.toolViews,
  proxy: k.proxy,
  relay: openRelay(k),
  changes: k.changes,
  dispatch: k.dispatch,
  readCall: (caller, id, wait) => readCall(k, caller, id, wait),
  readTask: (caller, id, waiting) => readTask(k, caller, id, waiting),
  listTasks: (caller, page) => listTasks(k, caller, page),
  cancelTask: (caller, id) => cancelTask(k, caller, id),
  readArtifact: (reader, digest, from, length) => readArtifact(k, reader, digest, from, length),
  grepArtifact: (reader, digest, query) => grepArtifact(k, reader, digest, query),
  async labelled(reader, answer, texts) {
    if (!answer.ok) return answer
    const entered = await enterSession(k, reader, texts(answer.value))
    return entered.ok ? answer : entered
  },
  notices: () => warningsOf(k.live),
})
