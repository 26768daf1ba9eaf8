import type { Client } from './client.ts'
import type { Out } from './print.ts'

/** What the commands of one run of the CLI share. */
export type Session = {
  /** Sends to the gate that the global options name, starting it where that is possible. */
  readonly send: Client
  readonly out: () => Out
  readonly exit: (code: number) => void
  /** A mistake in the command's own words. */
  readonly fail: (says: string) => void
}
