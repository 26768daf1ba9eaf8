import { returnedUnits } from '../kernel/approvals/pending-limits.ts'
import { brokenProblem, noteFound } from '../kernel/audit/note-broken.ts'
import { withCompanions } from '../kernel/changes/companions.ts'
import { keepVolatile } from '../kernel/changes/keep-volatile.ts'
import { resolveDoubts } from '../kernel/changes/resolve-doubts.ts'
import { announceCommits } from '../kernel/changes/watch-rows.ts'
import { withoutOwnCredentials } from '../kernel/changes/without-own-credentials.ts'
import { outbox } from '../kernel/approvals/outbox.ts'
import { keepTime, latestTime, type TimeKeeper } from '../kernel/clock/latest-time.ts'
import type { SteadyClock } from '../kernel/clock/steady-clock.ts'
import type { Change, Ledger } from '../kernel/ports/ledger.ts'
import { endDays } from '../kernel/retention/end-days.ts'
import { loadRunKinds } from '../kernel/runs/kinds.ts'
import { runEvents } from '../kernel/runs/run-events.ts'
import { ok, problem, type Problem, type Result } from '../kernel/contract/problems.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { openCheckpointFile } from '../adapters/keys/checkpoint-file.ts'
import { openNewestEntryFile } from '../adapters/keys/newest-entry-file.ts'
import { openSeenEntries } from '../adapters/keys/seen-entries.ts'
import { joinStore } from '../adapters/stores/open-store.ts'
import { partsOf, tableEntries } from './guest-parts.ts'
import { placesIn } from './data-folder.ts'
import type { Settings } from './load-config.ts'
import type { GateOptions } from './gate-options.ts'
import { GUESTS } from './guests.ts'
import { openSealedStore } from './open-sealed-store.ts'
import { packageVersion } from './package-version.ts'
import { randomIds } from './random-ids.ts'
import type { Parts } from './read-parts.ts'
import { after } from './timers.ts'
import { storeOf } from './store-of.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'

/** The store, and everything that a commit passes through on its way there. */
export type Storage = {
  readonly ports: Pick<
    Ports,
    | 'version'
    | 'stream'
    | 'ledger'
    | 'kinds'
    | 'tableEntries'
    | 'quiet'
    | 'doubts'
    | 'boot'
    | 'liveness'
    | 'notices'
    | 'changeNumbers'
    | 'tables'
    | 'searches'
    | 'accounts'
    | 'audit'
    | 'tail'
    | 'checkpointFile'
    | 'seen'
    | 'journal'
    | 'artifacts'
    | 'scrub'
    | 'isVolatileFull'
    | 'isVolatile'
    | 'jobs'
    | 'counts'
  >
  readonly time: TimeKeeper
  /** Why no call is accepted: the audit is broken, a commit is in doubt, or the lease of this node has expired. */
  closedBy(): Problem | undefined
  close(): Promise<void>
}

export type StorageSetup = Pick<GateOptions, 'alone' | 'writer' | 'onDead' | 'around'> & {
  readonly stopping: AbortSignal
  readonly steady: SteadyClock
}

/** Second of the three parts of a gate: the store, and what observes it. */
export async function openStorage(
  settings: Settings,
  { log, own, guests, ports: { channels } }: Parts,
  { alone, writer, onDead, around, stopping, steady }: StorageSetup,
): Promise<Result<Storage>> {
  const place = storeOf(settings)
  /** Why the other nodes declared this one dead. */
  let died: string | undefined
  const node = await joinStore(place, {
    onOwnDeath(why) {
      died = why
      log('error', 'the other nodes consider this node dead, so it stops', { why })
      onDead?.()
    },
    onFault: (error) => log('error', 'the lease of this node could not be renewed', { error: error.message }),
    onRedisFault: (error) => log('warn', error.message),
  })
  if (!node.ok) return node
  const { stream } = node.value
  const checkpointFile = openCheckpointFile(placesIn(settings.data).keys)
  const onFault = (error: Error) => log('error', 'the ledger cannot be written', { error: error.message })
  const head = openNewestEntryFile(placesIn(settings.data).keys, (error) =>
    log('warn', 'the number of the newest audit entry could not be saved in the keys folder', { error: error.message }),
  )
  const seen =
    place.postgres === undefined
      ? undefined
      : openSeenEntries(placesIn(settings.data).keys, (error) => log('warn', error.message))
  // A node may write another stream than before.
  if (head.last !== undefined) seen?.see([head.last])
  const store = await openSealedStore({
    ...place,
    stream,
    boot: node.value.liveness.boot,
    onFault,
    alone: alone === true,
    drives: alone === true,
    script: writer,
    onDiverged: (found) => diverged(found),
    floor: head.last,
    noteFile: head.file,
    onTail: (entry) => head.keep(entry),
    ...(alone === true ? { isBroken: () => checkpointFile.state().broken !== undefined } : {}),
    refuses: (changes) => checkpointFile.state().broken !== undefined && changes.some(startsCall),
    onRejected: (found) => log('error', 'a row in the database is ignored: it is not what the gate wrote', found),
  })
  if (!store.ok) {
    await node.value.leave()
    return store
  }
  const { accounts, audit, tail } = store.value
  const latest = await latestTime({ accounts, audit })
  steady.see(latest.at)
  const clock = steady.now
  if (steady.ahead() > AHEAD_MS)
    log('warn', 'the clock of this machine is behind the latest time that the gate has seen', {
      behind_s: Math.round(steady.ahead() / 1_000),
      do: 'correct the clock of the machine; if the gate has seen a wrong time, stop it and run `sluice clock correct`',
    })
  const stored = { ...store.value, ledger: around?.ledger?.(store.value.ledger) ?? store.value.ledger }
  const [kinds, entries] = await Promise.all([loadRunKinds(GUESTS), tableEntries()])
  const volatile = keepVolatile(stored, { clock, digest: sha256Hex, boot: node.value.liveness.boot, kinds })
  const { tables, searches, journal, artifacts } = volatile
  const quiet = withoutOwnCredentials(volatile.ledger, own.redactAll)
  const noting = { checkpointFile, ledger: quiet, clock, ids: randomIds }
  const diverged = (found: Parameters<typeof noteFound>[1]) =>
    void noteFound(noting, found).catch((error: unknown) => onFault(error as Error))
  const doubts = resolveDoubts({
    ledger: volatile.ledger,
    after,
    stopping,
    onDoubt: (commit) =>
      log('error', 'the ledger did not answer a commit: no calls are accepted until its outcome is known', { commit }),
  })
  const needs = { ...guests.ports, ids: randomIds, clock }
  const added = (await partsOf(({ companion }) => companion)).map((open) => open(needs))
  const companions = [outbox({ channels, ids: randomIds, clock }), ...added, runEvents, returnedUnits, endDays(clock)]
  const outgoing = guests.observers.ledger(withCompanions(doubts, companions))
  let hasStored = false
  const watched: Ledger = {
    commit(changes) {
      hasStored = true
      return outgoing.commit(changes)
    },
  }
  const time = keepTime(
    { ledger: quiet, accounts, audit, stream, steady, isAlone: place.postgres === undefined },
    latest,
    () => {
      const did = hasStored
      hasStored = false
      return did
    },
  )
  const numbers = { node: node.value.liveness.boot, last: 0 }
  const ledger = withoutOwnCredentials(
    announceCommits(watched, {
      notices: node.value.notices,
      kinds,
      tableEntries: entries,
      doubts,
      changeNumbers: numbers,
    }),
    own.redactAll,
  )
  return ok({
    ports: {
      version: packageVersion(),
      stream,
      ledger,
      kinds,
      tableEntries: entries,
      quiet,
      doubts,
      boot: node.value.liveness.boot,
      liveness: node.value.liveness,
      notices: node.value.notices,
      changeNumbers: numbers,
      tables,
      searches,
      accounts,
      audit,
      tail,
      checkpointFile,
      ...(seen === undefined ? {} : { seen }),
      journal,
      artifacts,
      isVolatileFull: volatile.isFull,
      isVolatile: volatile.isVolatile,
      counts: store.value.counts,
      ...(store.value.jobs === undefined ? {} : { jobs: store.value.jobs }),
      scrub: () => store.value.scrub(),
    },
    time,
    closedBy() {
      if (died !== undefined) return problem('node.dead', { why: died })
      const closed = brokenProblem(checkpointFile.state()) ?? doubts.closedBy()
      // Its lease has expired: it may send nothing, and another node may declare it dead.
      return (
        closed ??
        (node.value.liveness.mayAct()
          ? undefined
          : problem('audit.unavailable', { why: 'this node could not renew its lease' }))
      )
    },
    async close() {
      await store.value.close()
      await head.close()
      await seen?.settled()
      await node.value.leave()
    },
  })
}

/** The clocks of machines differ by less. */
const AHEAD_MS = 60_000

/** While the audit is broken, nothing that names a call by its key is started: keys may be missing. */
const startsCall = (change: Change): boolean => change.kind === 'once' && change.key.startsWith('call ')
