import type { Caller } from '../../../kernel/contract/caller.ts'
import type { Sha256, CallId } from '../../../kernel/contract/ids.ts'
import { problem, type Result } from '../../../kernel/contract/problems.ts'
import type { Artifacts } from '../../../kernel/ports/artifacts.ts'
import type { Ledger } from '../../../kernel/ports/ledger.ts'
import type { Notices, RelayNotice } from '../../../kernel/ports/notices.ts'
import type { Accounts, Searches } from '../../../kernel/ports/reads.ts'
import type { Clock, MaybePromise } from '../../../kernel/ports/runtime.ts'
import { relayOwner } from '../../../kernel/artifacts/relay-owner.ts'
import { mayContinue } from '../../../kernel/identity/grants.ts'

export type RelaySetup = StreamCallSetup & {
  readonly ledger: Ledger
  readonly accounts: Accounts
  readonly artifacts: Pick<Artifacts, 'put' | 'read'>
  readonly notices: Notices
  readonly clock: Clock
}

/** For clients whose requests reach several nodes. */
export interface Relay {
  /** Durable, and sent to all nodes. */
  endSession(session: string): Promise<Result<void>>
  hasEnded(session: string): MaybePromise<boolean>
  /** Sends a notice to the other nodes. */
  publish(notice: RelayNotice): void
  /** Notices from other nodes. Returns a function that stops it. */
  onNotice(listener: (notice: RelayNotice) => void): () => void
  /** Stores a text for another node to deliver to the same caller; undefined if it cannot be stored. */
  store(caller: Pick<Caller, 'user'>, text: string): Promise<Sha256 | undefined>
  load(caller: Pick<Caller, 'user'>, digest: Sha256): Promise<string | undefined>
  /** The caller's own call in this thread that is answered by this stream, if one was made. */
  callOfStream(caller: Caller, thread: string, stream: string, since: number): Promise<StreamCall | undefined>
}

export function openRelay(deps: RelaySetup): Relay {
  const { notices, artifacts } = deps
  const ended = openEndedSessions(deps)
  return {
    endSession: async (session) =>
      (await ended.end(session))
        ? { ok: true, value: undefined }
        : { ok: false, problem: problem('audit.unavailable') },
    hasEnded: (session) => ended.has(session),
    publish: (notice) => notices.publish('relay', notice),
    onNotice: (listener) => notices.subscribe('relay', (notice, origin) => origin === 'elsewhere' && listener(notice)),
    store: ({ user }, text) => artifacts.put(relayOwner(user), text),
    async load({ user }, digest) {
      const read = await artifacts.read(relayOwner(user), digest, 0, Number.MAX_SAFE_INTEGER)
      return typeof read === 'object' ? read.text : undefined
    },
    callOfStream: (...asked) => callOfStream(deps, ...asked),
  }
}

type StreamCallSetup = { readonly searches: Searches }

const PAGE = 200
/** A stream is resumed soon after it was lost, so its call is among the newest of its caller. */
const MOST_PAGES = 5

type StreamCall = { readonly call_id: CallId; readonly tool_id: string }

/** The call that this caller made in this thread and that is answered by this stream. */
async function callOfStream(
  { searches }: StreamCallSetup,
  caller: Caller,
  thread: string,
  stream: string,
  since: number,
): Promise<StreamCall | undefined> {
  let after: number | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found = await searches.search(
      'calls',
      { caller: caller.id, user: caller.user, since },
      { limit: PAGE, newest_first: true, ...(after === undefined ? {} : { after }) },
    )
    const call = found.items.find(
      ({ row }) => row.answer_stream === stream && row.thread === thread && mayContinue(caller, row.caller),
    )
    if (call !== undefined) return { call_id: call.row.call_id, tool_id: call.row.tool_id }
    if (found.next === undefined) return undefined
    after = found.next
  }
  return undefined
}

type EndedSetup = {
  readonly ledger: Ledger
  readonly accounts: Accounts
  readonly notices: Notices
  readonly clock: Clock
}

/** How long the end of a session is remembered. */
const KEPT_MS = 90 * 24 * 60 * 60_000
const MOST_KNOWN = 10_000

type EndedSessions = {
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
function openEndedSessions({ ledger, accounts, notices, clock }: EndedSetup): EndedSessions {
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
