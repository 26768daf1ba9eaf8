import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openCatalogue } from '../commands/catalogue/catalogue.ts'
import { loadJudgement } from '../commands/calls/facts/load-judgement.ts'
import type { Gate } from '../commands/gate.ts'
import { createIntake } from '../commands/calls/intake.ts'
import { keepCheckpoints } from '../commands/audit/keep-checkpoints.ts'
import { openLivePolicy, type LivePolicy } from '../commands/policy/live-policy.ts'
import { brokenProblem, noteFound } from '../commands/audit/note-broken.ts'
import { loadPolicy } from '../commands/policy/load-policy.ts'
import { openOwnCredentials, type OwnCredentialsBook } from '../commands/calls/own-credentials.ts'
import type { Probe } from '../commands/ports/runtime.ts'
import { redactAnswers, redactReplies } from '../commands/calls/redact-answers.ts'
import { strikeOwnAnswers, strikeOwnReplies } from '../commands/calls/strike-own-answers.ts'
import { openHabits } from '../commands/catalogue/search-habits.ts'
import { openMeaning } from '../commands/catalogue/search-meaning.ts'
import { recoverCalls } from '../commands/calls/recover-calls.ts'
import { recoverReadBacks } from '../commands/calls/recover-read-backs.ts'
import { openListingFindings } from '../commands/catalogue/listing-findings.ts'
import { withOutbox } from '../commands/channels/outbox.ts'
import { givingBackPending } from '../commands/approvals/pending-limits.ts'
import { requestLife } from '../commands/approvals/request-life.ts'
import { tellRuns } from '../commands/runs/tell-runs.ts'
import { sweepExpired, type Swept } from '../commands/retention/sweep-expired.ts'
import { stampEnds } from '../commands/retention/stamp-ends.ts'
import { onlyBoot } from '../commands/runs/liveness.ts'
import { settleDoubts } from '../commands/changes/settle-doubts.ts'
import { watchRows } from '../commands/changes/watch-rows.ts'
import { ok, problem, PROBLEMS, type Result } from '../contract/problems.ts'
import { newApiKey } from '../keys/api-keys.ts'
import { sha256Hex } from '../keys/digest.ts'
import { openKeptCheckpoint } from '../keys/kept-checkpoint.ts'
import { openIssuers } from '../keys/open-issuers.ts'
import { scryptPassphrases } from '../keys/passphrases.ts'
import { lockStore, openStore } from '../stores/open-store.ts'
import { openVectors } from '../stores/vectors.ts'
import { openEmbeddingModel } from '../upstream/embedding-model.ts'
import { openArgumentModel } from '../upstream/argument-model.ts'
import { measure, type Measured } from '../telemetry/measure.ts'
import { openTelemetry, type Telemetry } from '../telemetry/open-telemetry.ts'
import { localFiles } from '../upstream/local-files.ts'
import { openToolServers } from '../upstream/open-tool-servers.ts'
import { secretOf, serverConfigs } from '../upstream/server-config.ts'
import { openBreathe } from './breathe.ts'
import { digestBytes, openDataFolder, openLiveKeys, placesIn, type LiveKeys } from './data-folder.ts'
import { gateFiles } from './gate-files.ts'
import { driveWorld } from './drive-world.ts'
import type { Settings } from './load-config.ts'
import { onListedWith } from './on-listed.ts'
import { openScanner } from './scanner/open-scanner.ts'
import { openSerenity } from './open-serenity.ts'
import { ownSecrets } from './own-secrets.ts'
import { packageVersion } from './package-version.ts'
import { openChannels } from './open-channels.ts'
import { otlpOf, readingsOf } from './open-metrics.ts'
import type { PolicySource } from './policy-files.ts'
import { randomIds } from './random-ids.ts'
import { openServerFolders } from './server-folders.ts'
import { complainer, sweepRegularly } from './regular-work.ts'
import { after, persist } from './timers.ts'
import type { World } from './world.ts'

export type Log = (level: 'info' | 'warn' | 'error', says: string, about?: Readonly<Record<string, unknown>>) => void

export type OpenedGate = {
  readonly gate: Gate
  readonly live: LivePolicy
  /** The first listing of every server has come in, or its first attempt has failed. */
  readonly settled: Promise<void>
  readonly telemetry: Telemetry
  /** Removes what the retention policy says. Done by itself every hour. */
  sweep(): Promise<Swept>
  /** Takes no more calls and ends whoever waits for one; what is under way goes on. */
  stopTaking(): void
  /** Resolves when every call has its outcome, also those that nobody waits for at a door, or after so long. */
  lastCalls(ms: number): Promise<void>
  close(): Promise<void>
}

export type GateOptions = {
  readonly log: Log
  /** Nobody else writes to the store: the folder's lock is held. */
  readonly alone?: boolean
  readonly probe?: Probe
  /** The script of the thread that writes the ledger; crash tests bring one that dies. */
  readonly writer?: URL
  /** Where people decide. Known only once the door is open. */
  readonly url: () => string
  /** Where the policy can be read again; without it, the settings' own text for ever. */
  readonly policy?: PolicySource
}

const CHECKPOINT_TICK_MS = 1000

/** Opens everything a gate needs, in order, and recovers what an earlier process left behind. */
export async function openGate(settings: Settings, options: GateOptions): Promise<Result<OpenedGate>> {
  const { log } = options
  const folder = await openDataFolder(settings.data)
  if (!folder.ok) return folder
  const lock = await lockStore({ folder: settings.data })
  if (!lock.ok) return lock
  const opened = await openWorld(settings, { ...options, alone: true }, folder.value.fresh)
  if (!opened.ok) {
    lock.value.release()
    return opened
  }
  const { world, close, closeServers, settled, stopping, hangUp, telemetry, measured } = opened.value
  const { gate, scheduler, idle } = driveWorld(world, log)
  // Nobody waits for what only watches.
  telemetry
    .begin()
    .catch((error: unknown) => log('error', 'nothing can be sent to the collector', { error: String(error) }))
  const recovered = await recoverCalls(world)
  if (recovered.unknown + recovered.retried + recovered.failed > 0)
    log('warn', 'calls were interrupted when the gate last stopped', recovered)
  await scheduler.recover()
  // Waits for tool servers, so nobody waits for it.
  const readBack = recoverReadBacks(world).catch((error: unknown) =>
    log('error', 'read-backs could not be carried out', { error: String(error) }),
  )
  const { checkpoint_entries, checkpoint_seconds } = settings.config.audit
  const keeper = keepCheckpoints(
    { ...world, keys: world.keys.checkpoints },
    { every_entries: checkpoint_entries, every_ms: checkpoint_seconds * 1000 },
  )
  const complain = complainer(log, checkpoint_seconds * 1000)
  const begun = await keeper.begin()
  if (!begun.ok) complain(begun.problem)
  const tick = setInterval(() => {
    keeper.tick().then(
      (written) => (written.ok ? undefined : complain(written.problem)),
      (error: unknown) => log('error', 'no checkpoint could be signed', { error: String(error) }),
    )
  }, CHECKPOINT_TICK_MS)
  const sweep = () =>
    sweepExpired(
      { ...world, ledger: world.quiet, isStopping: () => stopping.signal.aborted },
      settings.config.retention,
    )
  const retention = sweepRegularly(sweep, log)
  const stopTaking = () => {
    world.intake.close(problem('gate.stopping'))
    stopping.abort()
  }
  const shutDown = async () => {
    stopTaking()
    clearInterval(tick)
    await retention.stop()
    hangUp()
    await scheduler.stop()
    await readBack
    // What still runs ends with its tool server, and what is known of it is recorded.
    await closeServers()
    await idle()
    const signed = await keeper.close()
    if (!signed.ok) log('error', 'no checkpoint could be signed', { code: signed.problem.code })
    await close()
    lock.value.release()
  }
  let closing: Promise<void> | undefined
  return ok({
    gate: measured.gate(gate),
    telemetry,
    live: world.live,
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

type Opened = {
  readonly world: World
  readonly settled: Promise<void>
  readonly telemetry: Telemetry
  readonly measured: Measured
  readonly stopping: AbortController
  /** Ends what is being sent to channels; it is sent again after the next start. */
  hangUp(): void
  closeServers(): Promise<void>
  close(): Promise<void>
}

/** The rooms' ports, opened. Several processes may share a store; recovery is for the one that holds the folder's lock. */
export async function openWorld(settings: Settings, options: GateOptions, fresh: boolean): Promise<Result<Opened>> {
  const { config } = settings
  const places = placesIn(settings.data)
  const keys = openLiveKeys(settings.data, fresh)
  if (!keys.ok) return keys
  const configs = serverConfigs(config.servers, settings.folder)
  if (!configs.ok) return configs
  // Before a ledger is made: a gate that cannot start leaves nothing behind.
  const sound = loadPolicy(sha256Hex, settings.policy)
  if (!sound.ok) return sound
  const files = localFiles(config.servers, settings.folder, gateFiles(settings))
  const judgement = await loadJudgement(config, (text) => secretOf(text, settings.folder, process.env), files)
  if (!judgement.ok) return judgement
  const own = openOwnCredentials(() => ownSecrets(settings))
  const log: Log = (level, says, about) => options.log(level, own.strike(says), own.strikeAll(about))
  const health = await openSerenity(config.serenity, settings.folder, process.env, log)
  if (!health.ok) return health
  const stopping = new AbortController()
  const posting = new AbortController()
  const channels = openChannels(config.channels, {
    folder: settings.folder,
    clock: Date.now,
    stopping: posting.signal,
  })
  if (!channels.ok) return channels
  const model = config.models.toolflow
  const argumentModel = model === undefined ? undefined : openArgumentModel(model, settings.folder)
  if (argumentModel?.ok === false) return argumentModel
  const embedder = config.search.embeddings && openEmbeddingModel(config.search.embeddings, settings.folder)
  if (embedder?.ok === false) return embedder
  const otlp = otlpOf(config.telemetry, settings.folder)
  if (!otlp.ok) return otlp
  const stream = 'main'
  const kept = openKeptCheckpoint(places.keys)
  const onFault = (error: Error) => log('error', 'the ledger cannot be written', { error: error.message })
  const store = await openStore({
    folder: settings.data,
    stream,
    onFault,
    alone: options.alone === true,
    script: options.writer,
    onDiverged: (found) => diverged(found),
  })
  if (!store.ok) return store
  const { shelves, accounts, audit, tail, journal, artifacts } = store.value
  const noting = { kept, ledger: store.value.ledger, clock: Date.now, ids: randomIds }
  const diverged = (found: Parameters<typeof noteFound>[1]) =>
    void noteFound(noting, found).catch((error: unknown) => onFault(error as Error))
  const scanner = openScanner(judgement.value.scanRules, config.dlp)
  const outputs = config.dlp.outputs === 'off' ? undefined : scanner
  const version = packageVersion()
  const telemetry = openTelemetry({
    version,
    ...otlp.value,
    onFault: (endpoint) =>
      log('warn', 'the collector takes no traces or metrics; they are dropped until it does', { endpoint }),
    readings: readingsOf({ shelves, audit, servers: () => servers.status() }),
  })
  const measured = measure(telemetry, { clock: Date.now, ids: randomIds })
  const doubts = settleDoubts({
    ledger: store.value.ledger,
    after,
    stopping: stopping.signal,
    onDoubt: (commit) =>
      log('error', 'the ledger did not answer a commit: no calls are taken until it is known', { commit }),
  })
  const told = tellRuns(givingBackPending(stampEnds(doubts, Date.now)))
  const ledger = watchRows(
    withOutbox({ ledger: measured.ledger(told), channels: channels.value.channels, ids: randomIds, clock: Date.now }),
    doubts,
  )
  const shared = { ledger, shelves, clock: Date.now, digest: sha256Hex, ids: randomIds }
  const breathe = openBreathe()
  const catalogue = await openCatalogue({
    shelves,
    servers: config.servers,
    breathe,
  })
  const listingFindings = await openListingFindings(shelves, Object.keys(config.servers))
  const source = options.policy ?? { read: () => ({ ok: true, value: settings.policy }), watch: () => () => {} }
  const opened = await openLivePolicy({ ...shared, catalogue, read: () => source.read() }, settings.policy)
  if (!opened.ok) {
    await store.value.close()
    return opened
  }
  const live = loggedPolicy(opened.value, log)
  const servers = openToolServers({
    servers: openServerFolders(settings.data, configs.value),
    version,
    onListed: onListedWith({ ...shared, catalogue, breathe, strike: own.strikeAll, live, listingFindings, log }),
    log: ({ level, server, says }) => log(level, says, { server }),
  })
  const meaning = embedder && {
    meaning: openMeaning({
      catalogue,
      embedder: embedder.value,
      vectors: await openVectors(join(places.vectors, vectorsName(config))),
      clock: Date.now,
    }),
  }
  const boot = randomBytes(8).toString('hex')
  const world: World = {
    version,
    ...meaning,
    ...(config.search.learn ? { learning: openHabits({ ...shared, clock: Date.now }) } : {}),
    ...shared,
    accounts,
    files,
    judgement: { ...judgement.value, scanner },
    toolflow: config.toolflow,
    ...(argumentModel === undefined ? {} : { argumentModel: argumentModel.value }),
    ...(health.value === undefined ? {} : { health: health.value }),
    stream,
    doubts,
    boot,
    liveness: onlyBoot(boot),
    audit,
    quiet: store.value.ledger,
    scrub: () => store.value.scrub(),
    kept,
    tail,
    journal,
    artifacts,
    servers: measured.servers(redactAnswers(strikeOwnAnswers(servers, own.current), outputs)),
    offerings: redactReplies(strikeOwnReplies(servers, own.current), outputs),
    serverReports: () =>
      own.strikeAll(servers.status().map((status) => ({ ...status, findings: listingFindings.of(status.server) }))),
    ownCredentials: own.current,
    catalogue,
    live,
    policy: () => live.current(),
    holdFor: (verdict, risk) => requestLife(config.approvals, verdict, risk),
    pendingLimits: {
      requests: config.approvals.pending_per_caller,
      bytes: config.approvals.pending_bytes_per_caller,
    },
    keys: { ...keys.value, rotate: refreshing(keys.value.rotate, own) },
    passphrases: scryptPassphrases,
    strong: config.approvals.strong,
    tokensCountAs: config.approvals.tokens,
    otherApprovers:
      config.auth.oidc.length > 0
        ? 'unknown'
        : [...channels.value.callbacks.values()].map(({ approver }) => approver.user),
    issuers: openIssuers(config.auth.oidc, Date.now),
    newKey: newApiKey,
    digestBytes,
    intake: createIntake(() => brokenProblem(kept.state()) ?? doubts.closedBy()),
    probe: options.probe ?? (() => {}),
    stopping: stopping.signal,
    ...channels.value,
    onUndelivered: (channel, delivery_id, attempt) =>
      log('warn', 'a message was not taken and is sent again later', { channel, delivery_id, attempt }),
    links: (approval_id) => `${config.channels.url ?? options.url()}/#/approvals/${approval_id}`,
    after,
    persist,
  }
  const unwatch = source.watch(() => void live.reload('file'))
  return ok({
    world,
    telemetry,
    measured,
    stopping,
    hangUp: () => posting.abort(),
    closeServers: () => servers.close(),
    settled: Promise.allSettled(configs.value.map(({ name }) => servers.ready(name))).then(() => undefined),
    async close() {
      unwatch()
      await telemetry.close()
      await servers.close()
      await scanner.close()
      await store.value.close()
    },
  })
}

/** The same rotation; the new key is one of the gate's own secrets from then on. */
const refreshing = (rotate: LiveKeys['rotate'], own: OwnCredentialsBook): LiveKeys['rotate'] => ({
  token: () => {
    const rotated = rotate.token()
    own.refresh()
    return rotated
  },
  checkpoint: () => {
    const rotated = rotate.checkpoint()
    own.refresh()
    return rotated
  },
})

/** The same policy, with a word in the log about every reload that a person should know of. */
function loggedPolicy(live: LivePolicy, log: Log): LivePolicy {
  return {
    ...live,
    async reload(because, by) {
      const reloaded = await live.reload(because, by)
      if (!reloaded.ok) log('error', PROBLEMS[reloaded.problem.code].says, reloaded.problem.about)
      else if (reloaded.value.changed) log('info', 'another policy is in force', { because, ...reloaded.value })
      return reloaded
    },
  }
}

/** Vectors of two models are not alike, whatever they say. */
const vectorsName = ({ search: { embeddings } }: Settings['config']): string =>
  `${sha256Hex(`${embeddings?.url} ${embeddings?.model}`).slice(0, 16)}.txt`
