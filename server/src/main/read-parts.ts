import { loadJudgement } from '../kernel/attempt/facts/load-judgement.ts'
import { openOwnCredentials, type OwnCredentialsBook } from '../guests/content/own-credentials.ts'
import type { KnownPack } from '../guests/packs/match-pack.ts'
import { readPacks } from '../guests/packs/read-packs.ts'
import { loadPolicy } from '../kernel/policy/load-policy.ts'
import { redactingOwn } from '../guests/content/redacting-own.ts'
import type { Clock } from '../kernel/ports/runtime.ts'
import type { EffectsSource } from '../kernel/ports/effects-source.ts'
import type { OpenRanker } from '../kernel/ports/ranker.ts'
import type { HubKeys } from '../kernel/ports/hub.ts'
import { ok, type Result } from '../kernel/contract/problems.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { openHubKeys } from '../guests/hub/hub-keys.ts'
import { openOidcLogins } from '../adapters/keys/open-oidc-logins.ts'
import { openArgumentModel } from '../guests/models/argument-model.ts'
import { openAgentModels } from '../guests/models/agent-models.ts'
import { localFiles } from '../guests/sandbox/local-files.ts'
import { secretOf, serverConfigs, type ServerConfig } from '../adapters/upstream/server-config.ts'
import { placesIn } from './data-folder.ts'
import { openLiveKeys, type LiveKeys } from './open-data-folder.ts'
import { gateFiles } from './gate-files.ts'
import { effectsSource, openRanker } from './guest-parts.ts'
import type { Settings } from './load-config.ts'
import type { Log } from './log.ts'
import { openChannels } from './open-channels.ts'
import { openHub } from '../guests/hub/open-hub.ts'
import { openNodeRoom } from '../guests/matrix/open-node-room.ts'
import { otlpOf } from '../guests/telemetry/open-metrics.ts'
import { redactedArgumentModel, redactedModels } from './redacted-models.ts'
import { openSerenity } from '../guests/serenity/open-serenity.ts'
import { ownSecrets } from './own-secrets.ts'
import { sharedKeys, type SharedKeys } from './shared-keys.ts'
import { storeOf } from './store-of.ts'
import { openScanner, type OpenScanner } from '../guests/content/scanner/open-scanner.ts'
import type { GatePorts } from './gate-ports.ts'

/** What follows from the settings and the key folder, before there is a ledger. */
export type Parts = {
  readonly ports: Pick<
    GatePorts,
    | 'keys'
    | 'files'
    | 'judgement'
    | 'ownCredentials'
    | 'health'
    | 'argumentModel'
    | 'models'
    | 'channels'
    | 'callbacks'
    | 'oidcLogins'
    | 'rooms'
    | 'hub'
    | 'hubKeys'
    | 'nodeRoom'
  >
  readonly own: OwnCredentialsBook
  /** Without the gate's own secrets. */
  readonly log: Log
  readonly configs: readonly ServerConfig[]
  readonly packs: readonly KnownPack[]
  /** What guests know about the effects of tools. */
  readonly effects: EffectsSource
  /** How a guest ranks tools, if one does. */
  readonly openRanker: OpenRanker | undefined
  readonly otlp: OtlpSettings
  readonly scanner: OpenScanner
  /** Keys that nodes share, if they do. */
  readonly shared: SharedKeys | undefined
  /** Aborts messages that are being sent to channels; they are sent again after the next start. */
  hangUp(): void
}

type OtlpSettings = Extract<ReturnType<typeof otlpOf>, { ok: true }>['value']

/** First of the three parts of a gate. Nothing is written: a gate that cannot start leaves nothing behind. */
export async function readParts(settings: Settings, say: Log, fresh: boolean, clock: Clock): Promise<Result<Parts>> {
  const { config } = settings
  const shared = sharedKeys(storeOf(settings))
  const keys = openLiveKeys(settings.data, fresh, shared)
  if (!keys.ok) return keys
  const configs = serverConfigs(config.servers, settings.folder)
  if (!configs.ok) return configs
  const packs = readPacks(config, settings.folder)
  if (!packs.ok) return packs
  const effects = await effectsSource(config, settings.folder)
  if (!effects.ok) return effects
  const sound = loadPolicy(sha256Hex, settings.policy)
  if (!sound.ok) return sound
  const files = localFiles(config.servers, settings.folder, gateFiles(settings))
  const judgement = await loadJudgement(config, (text) => secretOf(text, settings.folder, process.env), files)
  if (!judgement.ok) return judgement
  const own = openOwnCredentials(() => ownSecrets(settings))
  const log: Log = (level, says, about) => say(level, own.redact(says), own.redactAll(about))
  const health = await openSerenity(config.serenity, settings.folder, process.env, log)
  if (!health.ok) return health
  const posting = new AbortController()
  const channels = openChannels(config.channels, {
    folder: settings.folder,
    clock: Date.now,
    stopping: posting.signal,
    log: (says, about) => log('warn', says, about),
  })
  if (!channels.ok) return channels
  const around = {
    folder: settings.folder,
    stopping: posting.signal,
    log: (says: string, about?: Readonly<Record<string, unknown>>) => log('warn', says, about),
  }
  const hub = openHub(config.hub, around)
  if (!hub.ok) return hub
  const nodeRoom = openNodeRoom(config.nodes, around)
  if (!nodeRoom.ok) return nodeRoom
  const oidcLogins = openOidcLogins(
    config.auth.oidc,
    (text) => secretOf(text, settings.folder, process.env),
    keys.value.derived,
    clock,
  )
  if (!oidcLogins.ok) return oidcLogins
  const model = config.models.toolflow
  const argumentModel = model === undefined ? undefined : openArgumentModel(model, settings.folder)
  if (argumentModel?.ok === false) return argumentModel
  const models = openAgentModels(config.models, settings.folder)
  if (!models.ok) return models
  const ranker = await openRanker(config, settings.folder)
  if (!ranker.ok) return ranker
  const otlp = otlpOf(config.telemetry, settings.folder)
  if (!otlp.ok) return otlp
  const scanner = redactingOwn(openScanner(judgement.value.scanRules, config.dlp), own.current)
  return ok({
    ports: {
      keys: refreshing(keys.value, own),
      files,
      judgement: { ...judgement.value, scanner },
      ownCredentials: own.current,
      ...(health.value === undefined ? {} : { health: health.value }),
      models: redactedModels(models.value, own.redactAll),
      oidcLogins: oidcLogins.value,
      ...(argumentModel === undefined
        ? {}
        : { argumentModel: redactedArgumentModel(argumentModel.value, own.redactAll) }),
      ...channels.value,
      hub: hub.value,
      nodeRoom: nodeRoom.value,
      hubKeys: sharedHubKeys(openHubKeys(placesIn(settings.data).keys), shared),
    },
    own,
    log,
    configs: configs.value,
    packs: packs.value,
    effects: effects.value,
    openRanker: ranker.value,
    otlp: otlp.value,
    scanner,
    shared,
    hangUp: () => posting.abort(),
  })
}

/** The new keys are among the gate's own secrets from then on. */
function refreshing(keys: LiveKeys, own: OwnCredentialsBook): LiveKeys {
  const refreshed = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work
    own.refresh()
    return done
  }
  return {
    ...keys,
    rotate: {
      token: () => refreshed(keys.rotate.token()),
      checkpoint: () => refreshed(keys.rotate.checkpoint()),
    },
    refresh: () => refreshed(keys.refresh()),
  }
}

/** A change of the hub's keys reaches the other nodes too. */
function sharedHubKeys(keys: HubKeys, shared: SharedKeys | undefined): HubKeys {
  if (shared === undefined) return keys
  return {
    ...keys,
    prepare: () => shared.change(() => keys.prepare()),
    activate: () => shared.change(() => keys.activate()),
  }
}
