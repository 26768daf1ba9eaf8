import { callerIdentity, type CallerNames } from '../contract/caller-identity.ts'
import { problem, type Problem } from '../contract/problems.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Accounts } from '../ports/reads.ts'
import type { Clock, Ids, MaybePromise } from '../ports/runtime.ts'

export type VolumeDeps = {
  readonly ledger: Ledger
  readonly accounts: Accounts
  readonly clock: Clock
  readonly ids: Pick<Ids, 'trace'>
}

/** How many bytes of arguments and outputs the calls of each caller store. */
export type StoredVolume = {
  /** Why the caller may make no call now. */
  over(caller: CallerNames): MaybePromise<Problem | undefined>
  add(caller: CallerNames, ...texts: readonly string[]): void
}

/** Ordinary work stores a few megabytes an hour. */
export const MOST_BYTES = 1_073_741_824
const WINDOW_MS = 3_600_000
/** Added to the shared account when this much is new, so that most calls cost nothing. */
const STEP_BYTES = 1_048_576
/** The initial balance of every account: what is missing from it was stored. */
const FULL = 2 ** 50
const MOST_KNOWN = 10_000

type Known = {
  readonly window: number
  /** By all nodes, when the account was read last. */
  shared: number
  /** By this node since then. */
  fresh: number
  isSaving: boolean
  isRecorded: boolean
}

/**
 * A limit per caller and hour, shared by the nodes of a store and kept across restarts, so that an allowed call that returns much cannot fill
 * the disk. It may be exceeded by what runs at once and by a megabyte per node.
 */
export function storedVolume({ ledger, accounts, clock, ids }: VolumeDeps, most: number = MOST_BYTES): StoredVolume {
  const callers = new Map<string, Known>()
  const windowNow = () => Math.floor(clock() / WINDOW_MS)
  const accountOf = (who: string, window: number) => `stored ${window} ${who}`

  const knownOf = (who: string): Known | undefined => {
    const known = callers.get(who)
    return known?.window === windowNow() ? known : undefined
  }
  const sharedBy = async (who: string, window: number): Promise<number> =>
    FULL - ((await accounts.left(accountOf(who, window))) ?? FULL)

  const load = async (who: string): Promise<Known> => {
    const window = windowNow()
    const shared = await sharedBy(who, window)
    const earlier = callers.get(who)
    if (earlier?.window === window) return earlier
    const known: Known = { window, shared, fresh: 0, isSaving: false, isRecorded: false }
    callers.delete(who)
    callers.set(who, known)
    const [oldest] = callers.keys()
    if (callers.size > MOST_KNOWN && oldest !== undefined) callers.delete(oldest)
    return known
  }

  const save = async (who: string, known: Known): Promise<void> => {
    const account = accountOf(who, known.window)
    const units = known.fresh
    const left = await accounts.left(account)
    const until = (known.window + 2) * WINDOW_MS
    const committed = await ledger.commit([
      ...(left === undefined ? [{ kind: 'open', account, units: FULL, until } as const] : []),
      { kind: 'spend', account, units },
      { kind: 'sync_later', repeated: true },
    ])
    // If another node opened the account first, it is added after the next call.
    if (committed !== 'committed') return
    known.shared = await sharedBy(who, known.window)
    known.fresh -= units
  }

  /** In the audit once per hour and node: entries for every attempt would fill the disk too. */
  const record = (caller: CallerNames, why: Problem): void => {
    const about = { code: why.code, limit_bytes: String(most) }
    const entry = {
      at: clock(),
      type: 'call.refused' as const,
      actor: caller.id,
      trace: ids.trace(),
      subject: {},
      about,
    }
    void ledger.commit([{ kind: 'audit', entry: { ...entry, outcome: 'refused' } }])
  }

  const refusal = (caller: CallerNames, known: Known): Problem | undefined => {
    if (known.shared + known.fresh < most) return undefined
    const retry_after_s = String(Math.ceil(((known.window + 1) * WINDOW_MS - clock()) / 1_000))
    const why = problem('call.too_much_stored', { limit_bytes: String(most), retry_after_s })
    if (!known.isRecorded) record(caller, why)
    known.isRecorded = true
    return why
  }

  return {
    over(caller) {
      const who = callerIdentity(caller)
      const known = knownOf(who)
      if (known !== undefined) return refusal(caller, known)
      return load(who).then(
        (loaded) => refusal(caller, loaded),
        () => problem('audit.unavailable'),
      )
    },
    add(caller, ...texts) {
      const who = callerIdentity(caller)
      const known = knownOf(who)
      // Without an entry the hour has just changed, or there are too many callers: it is read before the next call.
      if (known === undefined) return
      for (const text of texts) known.fresh += bytesOf(text)
      if (known.fresh < STEP_BYTES || known.isSaving) return
      known.isSaving = true
      const done = () => void (known.isSaving = false)
      // If the store is unavailable, the bytes are added after a later call.
      save(who, known)
        .catch(() => {})
        .finally(done)
    },
  }
}

const encoder = new TextEncoder()
/** Short texts are not worth counting exactly. */
const bytesOf = (text: string): number => (text.length < 1_024 ? text.length : encoder.encode(text).byteLength)
