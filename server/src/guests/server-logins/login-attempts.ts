import { randomBytes } from 'node:crypto'
import type { StoredClient } from './server-login.ts'
import type { LoginSlot } from '../../kernel/ports/logins.ts'
import type { Discovered } from './discover-login.ts'

/** A login that waits for its browser. Only in memory: after a restart the person starts again. */
export type ToolLoginAttempt = {
  readonly slot: LoginSlot
  /** Who began it. */
  readonly by: string
  /** In the URL of the gate's page. */
  readonly ticket: string
  /** Sent to the authorization server and returned from there, once. */
  readonly state: string
  /** Ensures that the browser that comes back is the one that opened the page. */
  readonly secret: string
  readonly verifier: string
  readonly redirect_uri: string
  readonly authorization_url: string
  readonly discovered: Discovered
  readonly client: StoredClient['client']
  /** The scope that the server asked for when it was started. */
  readonly wanted: string | undefined
  readonly expires_at: number
}

export type Attempts = {
  isFull(): boolean
  add(attempt: ToolLoginAttempt): void
  /** A waiting login of this slot, for the same permissions, that still has most of its time. */
  waiting(slot: LoginSlot, wanted: string | undefined): ToolLoginAttempt | undefined
  byTicket(ticket: string): ToolLoginAttempt | undefined
  /** Removes it: a state counts once. */
  takeByState(state: string): ToolLoginAttempt | undefined
  drop(slot: LoginSlot): void
  /** Until when a login of this slot waits, including the time after the browser is back while the tokens are being fetched. */
  waitingUntil(slot: LoginSlot): number | undefined
  /** The tokens were fetched, or could not be. */
  finished(attempt: ToolLoginAttempt): void
}

export const ATTEMPT_MS = 600_000
const MOST_ATTEMPTS = 200

export const randomText = () => randomBytes(32).toString('base64url')
export const slotKey = ({ server, user }: LoginSlot) => (user === undefined ? server : `${server} ${user}`)

export function openAttempts(clock: () => number): Attempts {
  const attempts = new Map<string, ToolLoginAttempt>()
  const finishing = new Set<ToolLoginAttempt>()

  function fresh(): readonly ToolLoginAttempt[] {
    for (const [ticket, { expires_at }] of attempts) if (expires_at <= clock()) attempts.delete(ticket)
    return [...attempts.values()]
  }

  function drop(slot: LoginSlot): void {
    for (const attempt of fresh()) if (slotKey(attempt.slot) === slotKey(slot)) attempts.delete(attempt.ticket)
  }

  return {
    isFull: () => fresh().length >= MOST_ATTEMPTS,
    add(attempt) {
      drop(attempt.slot)
      attempts.set(attempt.ticket, attempt)
    },
    waiting: (slot, wanted) =>
      fresh().find(
        (each) =>
          slotKey(each.slot) === slotKey(slot) && each.wanted === wanted && each.expires_at - clock() > ATTEMPT_MS / 2,
      ),
    byTicket: (ticket) => fresh().find((each) => each.ticket === ticket),
    takeByState(state) {
      const found = fresh().find((each) => each.state === state)
      if (found === undefined) return undefined
      attempts.delete(found.ticket)
      finishing.add(found)
      return found
    },
    drop,
    waitingUntil: (slot) => [...fresh(), ...finishing].find((each) => slotKey(each.slot) === slotKey(slot))?.expires_at,
    finished: (attempt) => void finishing.delete(attempt),
  }
}
