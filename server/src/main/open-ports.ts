import { createRunOutput } from '../kernel/runs/run-output.ts'
import { plainSentence } from '../kernel/approvals/plain-sentence.ts'
import { loadRoutes } from '../kernel/approvals/load-routes.ts'
import { requestTimeout } from '../kernel/approvals/request-timeout.ts'
import { createIntake } from '../kernel/attempt/intake.ts'
import type { TimeKeeper } from '../kernel/clock/latest-time.ts'
import { steadyClock } from '../kernel/clock/steady-clock.ts'
import type { PolicyStore } from '../kernel/policy/put-policy.ts'
import { ok, refuse, type Result } from '../kernel/contract/problems.ts'
import { newApiKey } from '../adapters/keys/api-keys.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { openIssuers } from '../adapters/keys/open-issuers.ts'
import { openPasskeys } from '../adapters/keys/passkeys.ts'
import { scryptPassphrases } from '../adapters/keys/passphrases.ts'
import { configSections } from './config-sections.ts'
import { createYieldWhenDue } from './yield-when-due.ts'
import { digestBytes } from './data-folder.ts'
import type { Settings } from './load-config.ts'
import type { GateOptions } from './gate-options.ts'
import type { ServerTable } from './live-servers.ts'
import { absentGuards } from './guards.ts'
import { GUESTS } from './guests.ts'
import type { PreparedGuests } from './open-guests.ts'
import { openStorage } from './open-storage.ts'
import { openTools } from './open-tools.ts'
import { randomIds } from './random-ids.ts'
import { readParts } from './read-parts.ts'
import { after, persist } from './timers.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'
import type { RotatePorts } from '../kernel/identity/rotate-keys.ts'
import type { Liveness } from '../kernel/ports/liveness.ts'
import type { Notices } from '../kernel/ports/notices.ts'
import type { LiveKeys } from './open-data-folder.ts'
import type { SharedKeys } from './shared-keys.ts'

export type OpenedPorts = {
  readonly ports: Ports
  readonly settled: Promise<void>
  readonly guests: PreparedGuests
  readonly time: TimeKeeper
  readonly stopping: AbortController
  /** Aborts messages that are being sent to channels; they are sent again after the next start. */
  hangUp(): void
  closeServers(): Promise<void>
  close(): Promise<void>
}

/**
 * The rooms' ports, opened in three parts: what the settings say, the store, the tools. Several processes may share a store;
 * recovery is for the one that holds the folder's lock.
 */
export async function openPorts(given: Settings, options: GateOptions, fresh: boolean): Promise<Result<OpenedPorts>> {
  const stopping = new AbortController()
  const steady = steadyClock({ wall: Date.now, monotonic: () => performance.now() })
  const clock = steady.now
  // Guests add their servers to it.
  const table: ServerTable = { ...given.config.servers }
  const settings = { ...given, config: { ...given.config, servers: table } }
  const { config } = settings
  const parts = await readParts(settings, GUESTS, {
    say: options.log,
    fresh,
    url: options.url,
    clock,
    stopping: stopping.signal,
    transports: options.transports ?? [],
  })
  if (!parts.ok) return parts
  const { log, guard, hangUp, guests, keys } = parts.value
  const storage = await openStorage(settings, parts.value, {
    ...options,
    stopping: stopping.signal,
    steady,
  })
  if (!storage.ok) {
    await guests.close()
    await guard.close()
    return storage
  }
  const tools = await openTools({ ...settings, table }, parts.value, storage.value, { ...options, clock })
  if (!tools.ok) {
    await guests.close()
    await guard.close()
    await storage.value.close()
    return tools
  }
  const { callbacks } = parts.value.ports
  const { tables, artifacts } = storage.value.ports
  const sessions = parts.value.ports.judgement.openSessions({
    tables,
    artifacts,
    judgement: parts.value.ports.judgement,
    yieldWhenDue: createYieldWhenDue(),
  })
  const { decidedElsewhere: hub } = guests.ports
  const here = () => config.channels.url ?? options.url()
  const missing_guards = absentGuards(GUESTS)
  const known = {
    sessions,
    keys,
    ...guests.ports,
    ...parts.value.ports,
    ...storage.value.ports,
    ...tools.value.ports,
    rotate: followKeys({
      keys,
      shared: parts.value.shared,
      notices: storage.value.ports.notices,
      liveness: storage.value.ports.liveness,
      onFault: (code) => log('error', 'the keys of the other nodes could not be read', { code }),
    }),
    clock,
    digest: sha256Hex,
    digestBytes,
    ids: randomIds,
    shown: createRunOutput(),
    showsTokens: process.env['ENV'] === 'dev',
    settings: {
      file: settings.file,
      sections: configSections(config),
      ...(missing_guards.length === 0 ? {} : { missing_guards }),
    },
    holdFor: (verdict, risk) => requestTimeout(config.approvals, verdict, risk),
    sentence: guests.ports.makeSentence ?? plainSentence,
    routes: loadRoutes(config.approvals, config.channels),
    serverSettings: () => table,
    pendingLimits: {
      requests: config.approvals.pending_per_caller,
      bytes: config.approvals.pending_bytes_per_caller,
    },
    passphrases: scryptPassphrases,
    passkeys: openPasskeys(keys.derived),
    strong: config.approvals.strong,
    tokensCountAs: config.approvals.tokens,
    // For a node, the people who decide are at its hub.
    otherApprovers:
      config.auth.oidc.length > 0 || hub !== undefined
        ? 'unknown'
        : [...callbacks.values()].map(({ approver }) => approver.user),
    policyStore: options.policyStore ?? NOT_WRITABLE,
    doctor: once(options.doctor ?? (() => Promise.resolve({ ok: true, findings: [] }))),
    issuers: openIssuers(config.auth.oidc, clock),
    newKey: newApiKey,
    intake: createIntake(storage.value.closedBy),
    probe: options.probe ?? (() => {}),
    stopping: stopping.signal,
    onUndelivered: (channel, delivery_id, attempt) =>
      log('warn', 'a message was not accepted and will be sent again later', { channel, delivery_id, attempt }),
    hub,
    links(approval_id) {
      const url = `${here()}/#/approvals/${approval_id}`
      return hub?.linkTo(approval_id, url) ?? { url }
    },
    after,
    persist,
  } satisfies Ports
  const ports: Ports = { ...known, ...(await guests.open(known)) }
  return ok({
    ports,
    guests,
    time: storage.value.time,
    stopping,
    hangUp,
    settled: tools.value.settled,
    closeServers: () => tools.value.closeServers(),
    async close() {
      tools.value.unwatch()
      await guests.close()
      await tools.value.closeServers()
      await guard.close()
      await storage.value.close()
    },
  })
}

const NOT_WRITABLE: PolicyStore = {
  text: () => '',
  replace: () => refuse('policy.not_writable', { why: 'this gate has no policy file' }),
}

/** However many callers there are, it runs once at a time. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => (running ??= work().finally(() => (running = undefined)))
}

type FollowKeysSetup = {
  readonly keys: LiveKeys
  readonly shared: SharedKeys | undefined
  readonly notices: Pick<Notices, 'publish' | 'subscribe' | 'onMissed'>
  readonly liveness: Pick<Liveness, 'others'>
  readonly onFault: (code: string) => void
}

/** Tells the other nodes of changed keys and follows theirs. Without shared keys a node may rotate only while it is alone. */
function followKeys({ keys, shared, notices, liveness, onFault }: FollowKeysSetup): RotatePorts['rotate'] {
  // One at a time: what is changed while this node reads is read once more.
  let reading: Promise<void> = Promise.resolve()
  const refresh = (): void => {
    reading = readAfter(reading)
  }
  const readAfter = async (earlier: Promise<void>): Promise<void> => {
    await earlier
    const refreshed = await keys.refresh()
    if (!refreshed.ok) onFault(refreshed.problem.code)
  }
  if (shared !== undefined) {
    shared.onChanged(() => notices.publish('keys', {}))
    notices.subscribe('keys', (_, origin) => {
      if (origin === 'elsewhere') refresh()
    })
    notices.onMissed(refresh)
    // They may have been changed since this node took them.
    refresh()
  }
  return {
    async mayRotate() {
      const others = shared === undefined ? await liveness.others?.() : undefined
      return others === undefined || others.length === 0
        ? ok(undefined)
        : refuse('key.not_shared', { nodes: String(others.length) })
    },
    ...keys.rotate,
  }
}
