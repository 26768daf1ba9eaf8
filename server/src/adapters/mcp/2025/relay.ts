import type { Caller } from '../../../kernel/contract/caller.ts'
import type { Sha256 } from '../../../kernel/contract/ids.ts'
import { problem, type Result } from '../../../kernel/contract/problems.ts'
import type { Artifacts } from '../../../kernel/ports/artifacts.ts'
import type { Ledger } from '../../../kernel/ports/ledger.ts'
import type { Notices, RelayNotice } from '../../../kernel/ports/notices.ts'
import type { Accounts } from '../../../kernel/ports/reads.ts'
import type { Clock, MaybePromise } from '../../../kernel/ports/runtime.ts'
import { callOfStream, type StreamCall, type StreamCallDeps } from './call-of-stream.ts'
import { openEndedSessions } from './ended-sessions.ts'
import { relayOwner } from '../../../kernel/artifacts/relay-owner.ts'

export type RelayDeps = StreamCallDeps & {
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

export function openRelay(deps: RelayDeps): Relay {
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
