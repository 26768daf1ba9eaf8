import type { Ledger } from '../../../kernel/ports/ledger.ts'
import type { Notices } from '../../../kernel/ports/notices.ts'
import type { Accounts } from '../../../kernel/ports/reads.ts'
import type { Clock, MaybePromise } from '../../../kernel/ports/runtime.ts'

export type EndedDeps = {
  readonly ledger: Ledger
  readonly accounts: Accounts
  readonly notices: Notices
  readonly clock: Clock
}

/** How long the end of a session is remembered. */
const KEPT_MS = 90 * 24 * 60 * 60_000
const MOST_KNOWN = 10_000

export type EndedSessions = {
  /** False if it could not be stored. */
  end(session: string): Promise<boolean>
  /** Synchronous if it is known here. */
  has(session: string): MaybePromise<boolean>
}

/**
 * Which MCP sessions were ended, on any node. A node reads the store when it sees a session for the first time; afterwards it is
 * notified of the end.
 * INVARIANT: memory is bounded, and if notices may have been missed, everything is read again.
 */
export function openEndedSessions({ ledger, accounts, notices, clock }: EndedDeps): EndedSessions {
  const known = new Map<string, 'open' | 'ended'>()
  let missed = 0

  const note = (session: string, state: 'open' | 'ended') => {
    known.delete(session)
    const [oldest] = known.size >= MOST_KNOWN ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    known.set(session, state)
  }
  notices.subscribe('relay', (notice) => {
    if (notice.is === 'ended') note(notice.session, 'ended')
  })
  notices.onMissed(() => {
    missed += 1
    for (const [session, state] of known) if (state === 'open') known.delete(session)
  })

  async function read(session: string): Promise<boolean> {
    const before = missed
    const isEnded = (await accounts.left(accountOf(session))) !== undefined
    // A notice that arrived while the store was read is newer than the store.
    if (isEnded || (missed === before && !known.has(session))) note(session, isEnded ? 'ended' : 'open')
    return isEnded || known.get(session) === 'ended'
  }

  return {
    async end(session) {
      const until = clock() + KEPT_MS
      const committed = await ledger.commit([{ kind: 'open', account: accountOf(session), units: 0, until }])
      // `lost`: it was ended before.
      const isEnded = committed === 'committed' || (typeof committed === 'object' && 'lost' in committed)
      if (isEnded) notices.publish('relay', { is: 'ended', session })
      return isEnded
    },
    has(session) {
      const state = known.get(session)
      return state === undefined ? read(session) : state === 'ended'
    },
  }
}

const accountOf = (session: string) => `mcp ended ${session}`
