import type { Transport } from '@modelcontextprotocol/client'
import type { NotificationMethod, UpstreamReply } from '../../kernel/ports/upstream.ts'
import type { JsonObject } from '../../kernel/contract/json.ts'
import type { ToolDefinition } from '../../kernel/contract/tool.ts'
import type { MetaEnvelope } from './messages.ts'
import type { OurRequest } from './our-request.ts'

/** One connection to one tool server, shared by the SDK (discovery) and the direct path (calls). */
export type Wire = {
  /** For the SDK: everything but the calls below. */
  readonly transport: Transport
  /**
   * Whether the newer era is probed for first. `once`: the SDK treats silence as an older server. `twice`: it does not, so a
   * silent server is tried again as an older one. `never`: this transport is older than the newer era.
   */
  readonly probe: 'once' | 'twice' | 'never'
  /** Settles when no further call can be sent on it, with a sentence about its end. */
  readonly ended: Promise<string>
  /** False as soon as its end is known or decided. */
  isUsable(): boolean
  /** Sends one request and waits for its answer, the timeout, the caller's abort or the wire's end, whichever is first. */
  ask<T>(request: OurRequest<T>, envelope: MetaEnvelope): Promise<UpstreamReply<T>>
  /** Why a tool cannot be called on this wire; undefined if it can. */
  faultOf(definition: ToolDefinition, envelope: MetaEnvelope): string | undefined
  /** Why somebody has to log in, if the last request was rejected for that. */
  loginNeed?(): string | undefined
  /** Answers to calls that nobody waits for any more. */
  late(): number
  /** Ends it immediately. Calls in progress are lost. */
  kill(): void
  /** Ends it properly, or immediately if that takes too long. */
  close(): Promise<void>
}

export type WireSetup = {
  /** A line for the operator about odd behavior of a server. */
  readonly noise: (says: string) => void
  /** Some messages of the server may have been missed: its tools have to be listed again. */
  readonly onDoubt: () => void
  /** A notification that is not only for the gate. */
  readonly onNotification: (method: NotificationMethod, params: JsonObject) => void
}

/** Opens immediately, or ends: never throws. */
export type OpenWire = (deps: WireSetup) => Wire
