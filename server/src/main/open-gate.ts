import type { Counts } from '../kernel/ports/counts.ts'
import type { AuthenticateKey, Dispatch } from '../kernel/ports/observers.ts'
import { authenticate } from '../kernel/identity/credentials.ts'
import { partsOf } from './guest-parts.ts'
import type { Clock } from '../kernel/ports/runtime.ts'
import { keepCheckpoints } from '../kernel/audit/keep-checkpoints.ts'
import { type LivePolicy } from '../kernel/policy/live-policy.ts'
import { sweepExpired, type Swept } from '../kernel/retention/sweep-expired.ts'
import { ok, problem, refuse, specOf, type Result, type Problem } from '../kernel/contract/problems.ts'
import { lockStore } from '../adapters/stores/open-store.ts'
import type { BoundPorts } from '../kernel/ports/bound-ports.ts'
import { openDataFolder } from './open-data-folder.ts'
import { driveGate } from './drive-gate.ts'
import type { Settings } from './load-config.ts'
import { after } from './timers.ts'
import type { GateOptions } from './gate-options.ts'
import { openPorts } from './open-ports.ts'
import { storeOf } from './store-of.ts'
import type { RunJobs } from '../kernel/ports/jobs.ts'
import type { Log } from '../kernel/ports/log.ts'
import { recoverCalls, recoverReadBacks } from '../kernel/attempt/recover-calls.ts'
import type { Scheduler } from '../kernel/runs/schedule-runs.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'

export type OpenedGate = {
  readonly ports: BoundPorts
  /** For doors: calls and credentials that come through them are observed. */
  readonly dispatch: Dispatch
  readonly authenticate: AuthenticateKey
  readonly live: LivePolicy
  /** Resolves when the first listing of every server has arrived, or its first attempt has failed. */
  readonly settled: Promise<void>
  readonly counts: Counts
  readonly clock: Clock
  /** Deletes what the retention policy says. Done automatically every hour. */
  sweep(): Promise<Swept>
  /** Accepts no more calls and ends all waits; calls in progress continue. */
  stopTaking(): void
  /** Resolves when every call has its outcome, including those that nobody waits for, or after `ms`. */
  lastCalls(ms: number): Promise<void>
  close(): Promise<void>
}

const CHECKPOINT_TICK_MS = 1000

/** Opens everything a gate needs, in order, and recovers what an earlier process left behind. */
export async function openGate(settings: Settings, options: GateOptions): Promise<Result<OpenedGate>> {
  const { log } = options
  const store = storeOf(settings)
  const folder = await openDataFolder(store)
  if (!folder.ok) return folder
  const lock = await lockStore(store)
  if (!lock.ok) return lock
  const checked = (await options.checkFirst?.()) ?? ok(undefined)
  const opened = checked.ok ? await openPorts(settings, { ...options, alone: true }, folder.value.fresh) : checked
  if (!opened.ok) {
    lock.value.release()
    return opened
  }
  const { ports: inner, guests, close, closeServers, settled, stopping, hangUp, time } = opened.value
  const { ports, scheduler, idle } = driveGate(inner, log, options.around)
  const recovering = {
    async recover() {
      await guests.recover(inner)
      await scheduler.recover()
    },
  }
  const recovery = await recoverFromDead(inner, recovering, log)
  const stopGuests = await guests.start(ports)
  const { checkpoint_entries, checkpoint_seconds } = settings.config.audit
  const keeper = keepCheckpoints(
    { ...ports, keys: ports.keys.checkpoints },
    { every_entries: checkpoint_entries, every_ms: checkpoint_seconds * 1000 },
  )
  const complain = unsignedLog(log, checkpoint_seconds * 1000)
  const begun = await keeper.begin()
  if (!begun.ok) complain(begun.problem)
  const tick = setInterval(() => {
    void time.tick()
    keeper.tick().then(
      (written) => (written.ok ? undefined : complain(written.problem)),
      (error: unknown) => log('error', 'no checkpoint could be signed', { error: String(error) }),
    )
  }, CHECKPOINT_TICK_MS)
  const sweeps = await partsOf((guest) => guest.sweep)
  const sweep = async () => {
    for (const end of sweeps) await end(ports)
    const quiet = { ...ports, ledger: ports.quiet, isStopping: () => stopping.signal.aborted }
    return sweepExpired(quiet, settings.config.retention)
  }
  const retention = await sweepRegularly(sweep, log, ports.jobs)
  const stopTaking = () => {
    ports.intake.close(problem('gate.stopping'))
    stopping.abort()
  }
  const shutDown = async () => {
    stopTaking()
    clearInterval(tick)
    await stopGuests()
    await retention.stop()
    hangUp()
    await scheduler.stop()
    await recovery.stop()
    // Calls that still run end with their tool servers, and what is known about them is recorded.
    await closeServers()
    await idle()
    // If the store is unavailable, the next start signs its entries.
    await time.close()
    const signed = await keeper.close().catch(() => refuse('audit.unavailable'))
    if (!signed.ok) log('error', 'no checkpoint could be signed', { code: signed.problem.code })
    await close()
    lock.value.release()
  }
  let closing: Promise<void> | undefined
  return ok({
    ports,
    dispatch: guests.observers.dispatch(ports.dispatch),
    authenticate: guests.observers.authenticate((key) => authenticate(ports, key)),
    live: ports.live,
    counts: ports.counts,
    clock: ports.clock,
    settled,
    sweep,
    stopTaking,
    async lastCalls(ms) {
      let forget = () => {}
      const waited = new Promise<void>((resolve) => (forget = after(ms, resolve)))
      await Promise.race([idle(), waited])
      forget()
    },
    close: () => (closing ??= shutDown()),
  })
}

const FIRST_SWEEP_MS = 60_000
const SWEEP_EVERY_MS = 3_600_000
const EVERY_HOUR = '17 * * * *'

/**
 * Soon after the start and then every hour; a failed sweep is retried the next time. Nodes that share a store take turns: a
 * schedule there gives each hour's sweep to one of them.
 */
async function sweepRegularly(
  sweep: () => Promise<Swept>,
  log: Log,
  jobs: RunJobs | undefined,
): Promise<{ stop(): Promise<void> }> {
  let running: Promise<void> | undefined
  const run = (): Promise<void> =>
    (running ??= sweep()
      .then(
        (swept) =>
          swept.calls + swept.journals + swept.artifacts > 0
            ? log('info', 'expired arguments and outputs were deleted', swept)
            : undefined,
        (error: unknown) =>
          log('error', 'expired arguments and outputs could not be deleted', { error: String(error) }),
      )
      .finally(() => (running = undefined)))
  if (jobs !== undefined) {
    await jobs.every('retention', EVERY_HOUR, run)
    return { stop: async () => running }
  }
  const first = setTimeout(() => void run(), FIRST_SWEEP_MS)
  const later = setInterval(() => void run(), SWEEP_EVERY_MS)
  return {
    async stop() {
      clearTimeout(first)
      clearInterval(later)
      await running
    },
  }
}

/** Reports immediately that nothing is signed, and again as often as a checkpoint would be due. */
function unsignedLog(log: Log, every_ms: number): (problem: Problem) => void {
  let last = Number.NEGATIVE_INFINITY
  return (problem) => {
    if (performance.now() - last < every_ms) return
    last = performance.now()
    const { says, do: remedy } = specOf(problem)
    log('error', `no checkpoint is signed: ${says}`, { code: problem.code, ...problem.about, do: remedy })
  }
}

const AGAIN_MS = 1_000

/**
 * Takes over what dead boots left behind: at the start, which waits for it, and whenever another node dies. Work of live boots is
 * left alone.
 */
export async function recoverFromDead(
  ports: Ports,
  scheduler: Pick<Scheduler, 'recover'>,
  log: Log,
): Promise<{ stop(): Promise<void> }> {
  let readBacks: Promise<unknown> = Promise.resolve()
  async function recover(): Promise<void> {
    let isWhole = true
    const recovered = await recoverCalls({ ...ports, onUnrecorded: () => (isWhole = false) })
    if (recovered.unknown + recovered.retried + recovered.failed > 0)
      log('warn', 'calls were interrupted when their gate stopped', {
        ...recovered,
        ...(recovered.unknown === 0
          ? {}
          : { do: 'settle those with an unknown outcome; `sluice calls --state unknown` lists them' }),
      })
    await scheduler.recover()
    if (!isWhole) tryAgain()
    // In the background, because it waits for tool servers.
    readBacks = readBacks.then(() =>
      recoverReadBacks(ports).catch((error: unknown) =>
        log('error', 'read-backs could not be completed', { error: String(error) }),
      ),
    )
  }
  let later: Promise<void> = Promise.resolve()
  let forgetAgain = () => {}
  const takeOver = () => {
    later = later.then(recover).catch((error: unknown) => {
      log('error', 'the calls and runs of a stopped node could not be taken over; trying again', {
        error: String(error),
      })
      tryAgain()
    })
  }
  /** Until it succeeds: there may be nobody else to take over what a dead node left. */
  function tryAgain(): void {
    forgetAgain()
    forgetAgain = ports.after(AGAIN_MS, takeOver)
  }
  await recover()
  const forget = ports.liveness.onDeath((boot) => {
    log('warn', 'another node stopped unexpectedly: its calls and runs are taken over', { boot })
    takeOver()
  })
  return {
    async stop() {
      forget()
      forgetAgain()
      await later
      forgetAgain()
      await readBacks
    },
  }
}
