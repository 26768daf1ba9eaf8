import type { ReplyFilter } from '../attempt/filter-replies.ts'
import type { RedactOwn } from '../changes/without-own-credentials.ts'
import type { Config } from '../contract/config.ts'
import type { Judgement } from '../decide/judging.ts'
import type { Offerings } from './upstream.ts'

/** `known`: the secrets that the gate has in full, read now and at every refresh. */
export type OpenTextGuard = (known: () => readonly string[]) => TextGuard

/** The gate's own credentials while it runs. */
export interface TextGuard {
  /** Reads the known ones again, after a key was rotated. */
  refresh(): void
  redact(text: string): string
  redactAll: RedactOwn
  /** Opens what searches texts while the gate runs. */
  open(config: Config, judgement: Judgement): OpenedTextGuard
}

export type OpenedTextGuard = {
  readonly judgement: Partial<Judgement>
  /** What every message of a tool server passes through. */
  readonly filters: readonly ReplyFilter[]
  /** The same for resources, prompts and completions. */
  offerings(offerings: Offerings): Offerings
  close(): Promise<void>
}

/** Without a guest that guards texts, they pass as they are. */
export const unguarded: OpenTextGuard = () => ({
  refresh: () => {},
  redact: (text) => text,
  redactAll: (value) => value,
  open: () => ({ judgement: {}, filters: [], offerings: (offerings) => offerings, close: () => Promise.resolve() }),
})
