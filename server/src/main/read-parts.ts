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
import { openFiles, partsOf, sharedKeyFiles, textGuard } from './guest-parts.ts'
import type { Settings } from './load-config.ts'
import type { Guest } from '../kernel/registries.ts'
import type { Log } from '../kernel/ports/log.ts'
import { openChannels } from './open-channels.ts'
import { absentGuards, checkGuards, saysAbsent } from './guards.ts'
import { prepareGuests, type PreparedGuests } from './open-guests.ts'
import type { MessageTransport } from '../kernel/ports/transports.ts'
import { withGuestServers } from './guest-servers.ts'
import { packageVersion } from './package-version.ts'
import { randomIds } from './random-ids.ts'
import { sharedKeys, type SharedKeys } from './shared-keys.ts'
import { storeOf } from './store-of.ts'
import type { OpenedTextGuard, TextGuard } from '../kernel/ports/text-guard.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'
import { relative, resolve, join } from 'node:path'
import { storeFiles } from '../adapters/stores/open-store.ts'
import type { OwnFiles } from '../kernel/ports/files.ts'
import { NEWEST_CHECKPOINT_FILE } from '../adapters/keys/checkpoint-file.ts'
import { HEAD_FILE } from '../adapters/keys/newest-entry-file.ts'
import { SEEN_FILE } from '../adapters/keys/seen-entries.ts'
import { CHECKPOINT_FILE, TOKEN_FILE } from '../adapters/keys/key-folder.ts'
import { MINIMUM_VERSIONS_FILE } from '../adapters/keys/minimum-versions.ts'
import { ROW_KEY_FILE } from '../adapters/keys/row-key.ts'
import { SEAL_KEY_FILE } from '../adapters/keys/seal-keys.ts'
import { clientPrograms, decidingFiles, programFiles, startFiles } from './protected-files.ts'
import { trustFolder } from './trust/trust-records.ts'
import { readdirSync, readFileSync } from 'node:fs'

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
  const guarded = checkGuards(guests, config.guards.without)
  if (!guarded.ok) return guarded
  const shared = sharedKeys(storeOf(settings), sharedKeyFiles())
  const keys = openLiveKeys(settings.data, fresh, shared)
  if (!keys.ok) return keys
  let guestSecrets: () => readonly string[] = () => []
  const own = await textGuard(() => [...ownSecrets(settings), ...guestSecrets()])
  const log: Log = (level, says, about) => say(level, own.redact(says), own.redactAll(about))
  for (const guard of absentGuards(guests)) log('warn', saysAbsent(guard))
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

const KEY_FILES = [
  TOKEN_FILE,
  CHECKPOINT_FILE,
  NEWEST_CHECKPOINT_FILE,
  HEAD_FILE,
  SEEN_FILE,
  MINIMUM_VERSIONS_FILE,
  ROW_KEY_FILE,
  SEAL_KEY_FILE,
]

/**
 * What no tool argument may reach: the data folder and, for writing, the configuration, the files of its policy, what the user
 * trusts, what decides what clients run, programs, and what shells and git start with.
 */
async function gateFiles({ data, file, folder, policy }: Settings): Promise<OwnFiles> {
  const { admin, socket, keys } = placesIn(data)
  const store = storeFiles({ folder: data })
  const secret = [
    admin,
    socket,
    ...store,
    ...[...KEY_FILES, ...sharedKeyFiles().map(({ name }) => name)].map((name) => resolve(keys, name)),
  ]
  return {
    data,
    settings: [
      ...new Set([file, resolve(folder, policy.file), trustFolder(), ...(await decidingFiles({ data, file }))]),
    ],
    programs: [...new Set([...programFiles(), ...clientPrograms(), ...startFiles()])],
    store,
    names: secret.map((path) => relative(data, path)),
  }
}

/**
 * The secrets that the gate itself holds in full: its signing keys, and what the configuration refers to by
 * `env:` and `file:`. Honey tokens are not included: they must be found where they were put. API keys and approval tokens are
 * recognized by their format.
 */
function ownSecrets({ config, folder, data }: Settings): readonly string[] {
  const rest = { ...config, traps: undefined, policy: undefined }
  const referred = referencesIn(rest).flatMap((reference) => secretOf(reference, folder, process.env) ?? [])
  const { keys } = placesIn(data)
  const passwords = [...referred, ...addressesIn(rest)].flatMap(passwordIn)
  return [...referred.flatMap(searchablePart), ...passwords.flatMap(searchablePart), ...signingKeys(keys)]
}

/** Fields that contain a secret even if it is written out. */
const SECRET_FIELD = /^(?:secret|token|key|password|client_secret|bearer|authorization)$/i

function referencesIn(value: unknown, key = ''): readonly string[] {
  if (typeof value === 'string') return /^(?:env|file):/.test(value) || SECRET_FIELD.test(key) ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => referencesIn(field, name))
}

/** Addresses in the configuration, such as that of a database. */
function addressesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return value.includes('://') ? [value] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(addressesIn)
}

/** The password in an address, as it is written there and as it is used. */
function passwordIn(address: string): readonly string[] {
  const [, password] = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s:]*:([^/?#\s]+)@/i.exec(address.trim()) ?? []
  return password === undefined ? [] : [...new Set([password, percentDecoded(password)])]
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A short secret, or a plain word, would be found in unrelated texts. */
function searchablePart(secret: string): readonly string[] {
  const [line = ''] = secret.split(/\r?\n/).toSorted((one, other) => other.length - one.length)
  const isDistinctive = line.length >= 20 || (line.length >= 12 && /\d/.test(line) && /[A-Za-z]/.test(line))
  return isDistinctive && !/^(?:[./~]|https?:)/.test(line) ? [line] : []
}

const KEY_IN_FILE = /(?<="(?:active|previous|seed|secret|private_key)":\s?")[\w+/=-]{32,}/g

function signingKeys(folder: string): readonly string[] {
  try {
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
    const texts = files.map(({ name }) => readFileSync(join(folder, name), 'utf8'))
    return texts.flatMap((text) => text.match(KEY_IN_FILE) ?? [])
  } catch {
    return []
  }
}
