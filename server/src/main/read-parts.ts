import { loadJudgement } from '../kernel/attempt/facts/load-judgement.ts'
import { loadPolicy } from '../kernel/policy/load-policy.ts'
import type { Clock } from '../kernel/ports/runtime.ts'
import { ok, type Result } from '../kernel/contract/problems.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { openOidcLogins } from '../adapters/keys/open-oidc-logins.ts'
import { secretOf, serverConfigs } from '../adapters/upstream/server-config.ts'
import type { ServerConfig } from '../adapters/upstream/server-kind.ts'
import { SERVER_KINDS } from './server-kinds.ts'
import { placesIn } from './data-folder.ts'
import { openLiveKeys, type LiveKeys } from './open-data-folder.ts'
import { gateFiles } from './gate-files.ts'
import { openFiles, partsOf, sharedKeyFiles, textGuard } from './guest-parts.ts'
import type { Settings } from './load-config.ts'
import type { Guest } from '../kernel/registries.ts'
import type { Log } from '../kernel/ports/log.ts'
import { openChannels } from './open-channels.ts'
import { prepareGuests, type PreparedGuests } from './open-guests.ts'
import type { MessageTransport } from '../kernel/ports/transports.ts'
import { withGuestServers } from './guest-servers.ts'
import { ownSecrets } from './own-secrets.ts'
import { packageVersion } from './package-version.ts'
import { randomIds } from './random-ids.ts'
import { sharedKeys, type SharedKeys } from './shared-keys.ts'
import { storeOf } from './store-of.ts'
import type { OpenedTextGuard, TextGuard } from '../kernel/ports/text-guard.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'

/** What follows from the settings and the key folder, before there is a ledger. */
export type Parts = {
  readonly ports: Pick<Ports, 'files' | 'judgement' | 'channels' | 'callbacks' | 'oidcLogins' | 'rooms'>
  readonly own: TextGuard
  /** Without the gate's own secrets. */
  readonly log: Log
  readonly configs: readonly ServerConfig[]
  readonly keys: LiveKeys
  readonly guests: PreparedGuests
  readonly guard: OpenedTextGuard
  /** Keys that nodes share, if they do. */
  readonly shared: SharedKeys | undefined
  /** Aborts messages that are being sent to channels; they are sent again after the next start. */
  hangUp(): void
}

export type ReadingParts = {
  readonly say: Log
  readonly fresh: boolean
  readonly clock: Clock
  readonly stopping: AbortSignal
  readonly url: () => string
  readonly transports: readonly MessageTransport[]
}

/** First of the three parts of a gate. Nothing is written: a gate that cannot start leaves nothing behind. */
export async function readParts(
  settings: Settings,
  guests: readonly Guest[],
  { say, fresh, url, clock, stopping, transports }: ReadingParts,
): Promise<Result<Parts>> {
  const { config } = settings
  const shared = sharedKeys(storeOf(settings), sharedKeyFiles())
  const keys = openLiveKeys(settings.data, fresh, shared)
  if (!keys.ok) return keys
  let guestSecrets: () => readonly string[] = () => []
  const own = await textGuard(() => [...ownSecrets(settings), ...guestSecrets()])
  const log: Log = (level, says, about) => say(level, own.redact(says), own.redactAll(about))
  const posting = new AbortController()
  const prepared = await prepareGuests(guests, {
    config,
    file: settings.file,
    folder: settings.folder,
    version: packageVersion(),
    url,
    places: { data: settings.data, ...placesIn(settings.data) },
    env: process.env,
    log,
    clock,
    ids: randomIds,
    digest: sha256Hex,
    redactOwn: own.redactAll,
    onSecrets: own.refresh,
    transports,
    stopping,
    hangingUp: posting.signal,
    changeKeys: async (work) => shared?.change(work) ?? work(),
  })
  if (!prepared.ok) return prepared
  Object.assign(config.servers, withGuestServers(config.servers, prepared.value.servers))
  guestSecrets = prepared.value.secrets
  own.refresh()
  const configs = serverConfigs(SERVER_KINDS, config.servers, settings.folder)
  if (!configs.ok) return configs
  const sound = loadPolicy(sha256Hex, settings.policy)
  if (!sound.ok) return sound
  const files = await openFiles(config.servers, settings.folder, await gateFiles(settings))
  const judgement = await loadJudgement(config, await partsOf(({ judging }) => judging), {
    secretOf: (text) => secretOf(text, settings.folder, process.env),
    files,
  })
  if (!judgement.ok) return judgement
  const channels = openChannels(config.channels, await partsOf(({ channel }) => channel), {
    folder: settings.folder,
    clock: Date.now,
    stopping: posting.signal,
    log: (says, about) => log('warn', says, about),
  })
  if (!channels.ok) return channels
  const oidcLogins = openOidcLogins(
    config.auth.oidc,
    (text) => secretOf(text, settings.folder, process.env),
    keys.value.derived,
    clock,
  )
  if (!oidcLogins.ok) return oidcLogins
  const guard = own.open(config, judgement.value)
  return ok({
    ports: {
      files,
      judgement: { ...judgement.value, ...guard.judgement },
      oidcLogins: oidcLogins.value,
      ...channels.value,
    },
    own,
    log,
    configs: configs.value,
    keys: refreshing(keys.value, own),
    guests: prepared.value,
    guard,
    shared,
    hangUp: () => posting.abort(),
  })
}

/** The new keys are among the gate's own secrets from then on. */
function refreshing(keys: LiveKeys, own: TextGuard): LiveKeys {
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
