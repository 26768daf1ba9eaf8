import type { Change, Ledger } from '../ports/ledger.ts'
import type { Accounts, AuditReads } from '../ports/reads.ts'
import type { SteadyClock } from './steady-clock.ts'

export type LatestPorts = {
  readonly ledger: Ledger
  readonly accounts: Accounts
  readonly audit: Pick<AuditReads, 'heads'>
}

/** The latest time that any node of the store has seen, and how often an operator has corrected it. */
export type LatestTime = { readonly at: number; readonly corrections: number }

/** One account per audit stream, so that nodes never raise the same one at once. */
const accountOf = (stream: string) => `clock ${stream}`
const CORRECTIONS = 'clock corrections'

export async function latestTime({ accounts, audit }: Omit<LatestPorts, 'ledger'>): Promise<LatestTime> {
  const streams = (await audit.heads()).map(({ stream }) => stream)
  const seen = await Promise.all(streams.map((stream) => accounts.left(accountOf(stream))))
  return { at: Math.max(0, ...seen.map((at) => at ?? 0)), corrections: (await accounts.left(CORRECTIONS)) ?? 0 }
}

/** Changes an account to these units; nothing if it has them. */
async function setTo(accounts: Accounts, account: string, units: number): Promise<readonly Change[]> {
  const left = await accounts.left(account)
  if (left === undefined) return [{ kind: 'open', account, units }]
  return left === units ? [] : [{ kind: 'spend', account, units: left - units }]
}

/** The changes that correct the latest time seen. Nodes that run adopt it within seconds. */
export async function correctionTo(deps: Omit<LatestPorts, 'ledger'>, at: number): Promise<readonly Change[]> {
  const { accounts, audit } = deps
  const changes: Change[] = []
  for (const { stream } of await audit.heads()) {
    const account = accountOf(stream)
    if (((await accounts.left(account)) ?? 0) > at) changes.push(...(await setTo(accounts, account, at)))
  }
  const { corrections } = await latestTime(deps)
  return [...changes, ...(await setTo(accounts, CORRECTIONS, corrections + 1))]
}

/** While the gate stores something, and otherwise. */
const NOTE_MS = 60_000
const IDLE_NOTE_MS = 600_000
/** How often other nodes' times are read. */
const READ_MS = 5_000

export type TimeKeeper = {
  /** Called by a timer. Never throws: what could not be stored is stored later. */
  tick(): Promise<void>
  /** Stores the time at shutdown. */
  close(): Promise<void>
}

/**
 * Stores the latest time seen: every minute in which the gate stores something, every ten minutes otherwise, and at once if the machine's
 * clock has jumped. After a crash the time can be older by as much. `isAlone`: no other node uses the store.
 */
export function keepTime(
  deps: LatestPorts & { readonly stream: string; readonly steady: SteadyClock; readonly isAlone: boolean },
  seen: LatestTime,
  wrote: () => boolean,
): TimeKeeper {
  const { ledger, accounts, steady, stream, isAlone } = deps
  const account = accountOf(stream)
  let noted = seen.at
  let { corrections } = seen
  let read = steady.now()
  let running: Promise<void> | undefined

  const note = async () => {
    const at = steady.now()
    const left = await accounts.left(account)
    if (left !== undefined && left >= at) return
    const changes = await setTo(accounts, account, at)
    if ((await ledger.commit([...changes, { kind: 'sync_later', repeated: true }])) === 'committed') noted = at
  }
  const follow = async () => {
    const latest = await latestTime(deps)
    read = steady.now()
    if (latest.corrections === corrections) return steady.see(latest.at)
    ;({ corrections } = latest)
    noted = latest.at
    steady.correct(latest.at)
  }
  const work = async () => {
    const now = steady.now()
    const isFollowing = !isAlone && (now - read >= READ_MS || now < read)
    if (isFollowing) await follow()
    const age = steady.now() - noted
    const isDue = age >= IDLE_NOTE_MS || (age >= NOTE_MS && wrote())
    if (steady.hasJumped() || isDue) await note()
  }
  const run = (what: () => Promise<void>) =>
    what().catch(() => {
      // The store is unavailable, which is reported where it is used.
    })
  return {
    tick: () => (running ??= run(work).finally(() => (running = undefined))),
    async close() {
      await running
      await run(note)
    },
  }
}
