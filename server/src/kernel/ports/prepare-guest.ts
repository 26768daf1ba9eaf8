import type { Config } from '../contract/config.ts'
import type { Result } from '../contract/problems.ts'
import type { RedactOwn } from '../changes/without-own-credentials.ts'
import type { BoundPorts } from './bound-ports.ts'
import type { GuestPorts, Ports } from './guest-ports.ts'
import type { GuestServer } from './guest-server.ts'
import type { Log } from './log.ts'
import type { Observers } from './observers.ts'
import type { MessageTransport } from './transports.ts'
import type { Clock, Digest, Ids, MaybePromise } from './runtime.ts'

/**
 * Reads what the settings of a guest name, before there is a store. Nothing is written, and nothing is sent: a gate that cannot
 * start leaves nothing behind.
 */
export type PrepareGuest = (given: Preparation) => MaybePromise<Result<PreparedGuest>>

/** What a guest is prepared with. */
export type Preparation = {
  readonly config: Config
  /** The configuration. */
  readonly file: string
  /** The folder of the configuration: relative paths start there. */
  readonly folder: string
  readonly version: string
  /** Where the gate listens, as soon as it does. */
  readonly url: () => string
  readonly places: DataPlaces
  readonly env: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly clock: Clock
  readonly ids: Ids
  readonly digest: Digest
  /** Removes the gate's own credentials. No text for a model or another service contains one. */
  readonly redactOwn: RedactOwn
  /** Called when the secrets that a guest holds have changed. */
  readonly onSecrets: () => void
  /** Ways to send and receive messages, in addition to the configured ones. */
  readonly transports: readonly MessageTransport[]
  /** Changes keys that the nodes of a store share, while no other node does. If that fails, they are as before. */
  readonly changeKeys: <T>(work: () => MaybePromise<Result<T>>) => Promise<Result<T>>
  /** Aborted when the gate accepts no more calls. */
  readonly stopping: AbortSignal
  /** Aborted later: messages that are being sent to people are not waited for. They are sent again after the next start. */
  readonly hangingUp: AbortSignal
  /** Of the guests that were prepared before this one. */
  readonly ports: Readonly<GuestPorts>
}

/** Folders and files below the data folder. */
export type DataPlaces = { readonly data: string; readonly keys: string; readonly vectors: string }

/** What runs until the gate stops. What was opened last is closed first. */
export type OpenedGuest = {
  readonly ports?: Partial<GuestPorts>
  /** Ends what dead processes left behind: called at the start, and whenever another node has died. */
  readonly recover?: (ports: Ports) => Promise<void>
  /** Called when the gate has recovered what earlier processes left. Returns a function that stops what was started. */
  readonly start?: (ports: BoundPorts) => MaybePromise<() => Promise<void>>
  readonly close?: () => MaybePromise<void>
}

export type PreparedGuest = OpenedGuest & {
  readonly observers?: Partial<Observers>
  readonly server?: GuestServer
  /** What it holds in full now: these texts are recognized wherever they appear. */
  readonly secrets?: () => readonly string[]
  /** Called when the store and the tools are open. */
  readonly open?: (ports: Ports) => MaybePromise<OpenedGuest>
}
