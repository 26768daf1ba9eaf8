import type { Json } from '../../kernel/contract/json.ts'
import { compileOwn, type OwnCredentials } from './find-own.ts'
import { redactOwn, redactOwnJson } from './redact-own.ts'

export type OwnCredentialsBook = {
  current(): OwnCredentials
  /** Reads the known ones again, after a key was rotated. */
  refresh(): void
  redact(text: string): string
  redactAll<T>(value: T): T
}

/** The gate's own credentials while it runs. `known`: the secrets that the gate has in full, read now and at every refresh. */
export function openOwnCredentials(known: () => readonly string[]): OwnCredentialsBook {
  let own = compileOwn(known())
  return {
    current: () => own,
    refresh: () => void (own = compileOwn(known())),
    redact: (text) => redactOwn(text, own),
    redactAll: <T>(value: T) => redactOwnJson(value as Json, own) as T,
  }
}
