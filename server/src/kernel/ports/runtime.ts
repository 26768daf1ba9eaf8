import type { ApprovalId, CallId, ConsentId, KeyId, RunId, Sha256 } from '../contract/ids.ts'

export type Clock = () => number

/** A value, or a promise of it where it has to be read first. */
export type MaybePromise<T> = T | Promise<T>

export interface Ids {
  call(): CallId
  approval(): ApprovalId
  consent(): ConsentId
  run(): RunId
  key(): KeyId
  trace(): string
  /** The random part of an id of a guest. */
  hex(bytes: number): string
}

export type Digest = (text: string) => Sha256

/** Between two pieces of long work: returns at once, or yields to the event loop if this piece has taken long enough. */
export type YieldWhenDue = () => Promise<void>

/** A named point between two durable facts. Does nothing in production; crash tests stop the process there. */
export type Probe = (point: ProbePoint) => void

type KernelPoint =
  | 'check.before'
  | 'intent.before'
  | 'intent.after'
  | 'upstream.before'
  | 'upstream.after'
  | 'outcome.before'
  | 'outcome.after'
  | 'verify.before'
  | 'verify.after'
  | 'decision.before'
  | 'decision.after'
  | 'step.before'
  | 'step.after'

/** A guest adds its own by declaration merging. */
export interface ProbePoints extends Readonly<Record<KernelPoint, true>> {}

export type ProbePoint = keyof ProbePoints
