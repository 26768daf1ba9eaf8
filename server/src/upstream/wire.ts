import type { Transport } from '@modelcontextprotocol/client'
import type { NoticeMethod, UpstreamReply } from '../commands/ports/upstream.ts'
import type { JsonObject } from '../contract/json.ts'
import type { ToolDefinition } from '../contract/tool.ts'
import type { Envelope } from './frames.ts'
import type { OurRequest } from './our-request.ts'

/** One way to one tool server, shared by the SDK (discovery) and the lean path (calls). */
export type Wire = {
  /** For the SDK: everything but the calls below. */
  readonly transport: Transport
  /**
   * Whether the newer era is asked for first. `once`: the SDK takes silence for an older server. `twice`: it does not, so a
   * silent server is tried again as an older one. `never`: this way is older than the newer era.
   */
  readonly probe: 'once' | 'twice' | 'never'
  /** Settles when no further call can be sent on it, with a sentence about its end. */
  readonly ended: Promise<string>
  /** False as soon as its end is known or decided. */
  isUsable(): boolean
  /** Sends one request and waits for its answer, the timeout, the caller's abort or the wire's end, whichever is first. */
  ask<T>(request: OurRequest<T>, envelope: Envelope): Promise<UpstreamReply<T>>
  /** Why a tool cannot be called on this wire; undefined when it can. */
  faultOf(definition: ToolDefinition, envelope: Envelope): string | undefined
  /** Why somebody has to log in, when the last request was refused for that. */
  loginNeed?(): string | undefined
  /** Answers to calls that nobody waits for any more. */
  late(): number
  /** Ends it at once. Calls under way are lost. */
  kill(): void
  /** Ends it in good order, or at once when that takes too long. */
  close(): Promise<void>
}

export type WireDeps = {
  /** A line for the operator about a server that says something odd. */
  readonly noise: (says: string) => void
  /** Something of what the server said may have been missed: its tools are to be read again. */
  readonly onDoubt: () => void
  /** Said unasked, and not only to us. */
  readonly onNotice: (method: NoticeMethod, params: JsonObject) => void
}

/** Opens at once, or ends: never throws. */
export type OpenWire = (deps: WireDeps) => Wire
