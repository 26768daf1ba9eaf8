import { setTimeout as sleep } from 'node:timers/promises'
import { filterReplies } from '../kernel/attempt/filter-replies.ts'
import { openCatalogue } from '../kernel/catalogue/catalogue.ts'
import { openListingFaults, type ListingFaults } from '../kernel/catalogue/listing-faults.ts'
import { followMembers, announcingPolicy } from '../kernel/changes/follow-members.ts'
import { openLivePolicy, type LivePolicy } from '../kernel/policy/live-policy.ts'
import { unlistedRules } from '../kernel/catalogue/listed-tools.ts'
import type { Clock } from '../kernel/ports/runtime.ts'
import type { Catalogue, ToolsListed } from '../kernel/ports/catalogue.ts'
import { absentGuards } from './guards.ts'
import { GUESTS } from './guests.ts'
import { ok, specOf, type Result } from '../kernel/contract/problems.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { openToolServers } from '../adapters/upstream/open-tool-servers.ts'
import { createYieldWhenDue } from './yield-when-due.ts'
import { placesIn } from './data-folder.ts'
import type { Settings } from './load-config.ts'
import type { GateOptions } from './gate-options.ts'
import { liveServers, type ServerTable } from './live-servers.ts'
import type { Log } from '../kernel/ports/log.ts'
import { answeredByGuests, withGuestServers } from './guest-servers.ts'
import type { Storage } from './open-storage.ts'
import { randomIds } from './random-ids.ts'
import type { Parts } from './read-parts.ts'
import { SERVER_KINDS } from './server-kinds.ts'
import { textScrubber, type ScrubText } from './scrub-text.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'
import type { ServerStatus } from '../adapters/upstream/tool-server-status.ts'
import { registerTools, type RegisterPorts } from '../kernel/catalogue/register-tools.ts'
import { idsIn, unlistedSettings } from '../kernel/catalogue/unlisted-settings.ts'
import { LISTING_SAYS } from '../kernel/contract/tool-bounds.ts'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerConfig } from '../adapters/upstream/server-kind.ts'

/** How long lists and searches wait for servers that are still connecting, counted from the start of the gate. */
const FIRST_LISTING_MS = 5_000

/** The catalogue, the active policy and the tool servers. */
export type Tools = {
  readonly ports: Pick<
    Ports,
    | 'yieldWhenDue'
    | 'catalogue'
    | 'live'
    | 'policy'
    | 'servers'
    | 'offerings'
    | 'serverReports'
    | 'retryServer'
    | 'firstListing'
  >
  /** Resolves when the first listing of every server has arrived, or its first attempt has failed. */
  readonly settled: Promise<void>
  closeServers(): Promise<void>
  /** Stops watching the policy's files and the other nodes. */
  unwatch(): void
}

type ToolOptions = Pick<GateOptions, 'policy' | 'readServers' | 'onReloaded'> & {
  readonly clock: Clock
}

/** Third of the three parts of a gate: what is judged, and by which rules. */
export async function openTools(
  settings: Settings & { readonly table: ServerTable },
  parts: Parts,
  { ports }: Storage,
  { policy, readServers, onReloaded, clock }: ToolOptions,
): Promise<Result<Tools>> {
  const { config } = settings
  const { log, own, configs, guests, guard } = parts
  const { openRanker, inferEffects, packFor } = guests.ports
  const { ledger, tables } = ports
  const shared = { ledger, tables, clock, digest: sha256Hex, ids: randomIds }
  const yieldWhenDue = createYieldWhenDue()
  const ranking = {
    ...shared,
    yieldWhenDue,
    pause: (ms: number) => sleep(ms, undefined, { ref: false }),
    cache: placesIn(settings.data).vectors,
    redact: own.redactAll,
  }
  const catalogue = await openCatalogue({
    tables,
    servers: config.servers,
    yieldWhenDue,
    effects: { infer: inferEffects, packFor },
    ...(openRanker && { ranker: (of) => openRanker({ ...ranking, catalogue: of }) }),
  })
  const listingFindings = await openListingFaults(tables, Object.keys(config.servers))
  const source = policy ?? { read: () => ({ ok: true, value: settings.policy }), watch: () => () => {} }
  const opened = await openLivePolicy(
    { ...shared, catalogue, read: () => source.read(), missing_guards: absentGuards(GUESTS) },
    settings.policy,
  )
  if (!opened.ok) return opened
  const policyOnly = announcingPolicy(loggedPolicy(opened.value, catalogue, log), ports.notices)
  const onListed = onListedWith({
    ...shared,
    catalogue,
    yieldWhenDue,
    redact: own.redactAll,
    live: policyOnly,
    listingFindings,
    table: settings.table,
    log,
  })
  const report = serverReporter(await textScrubber())
  const mayAct = () => ports.liveness.mayAct()
  const servers = openToolServers({
    kinds: SERVER_KINDS,
    ...(guests.ports.connectionLogins && { logins: guests.ports.connectionLogins }),
    servers: openServerFolders(settings.data, configs),
    version: ports.version,
    mayAct,
    onListed,
    log: ({ level, server, says }) => log(level, says, { server }),
  })
  const changing = liveServers({
    table: settings.table,
    folder: settings.folder,
    configs,
    read() {
      const again = readServers?.() ?? ok(settings.table)
      return again.ok ? ok(withGuestServers(again.value, guests.servers)) : again
    },
    place: (configs) => openServerFolders(settings.data, configs),
    servers,
    catalogue,
    ledger,
    log,
    onChange: () => own.refresh(),
  })
  const live: LivePolicy = {
    ...policyOnly,
    // Servers first: conditions are checked against the schemas of the existing tools.
    async reload(because, by) {
      const isFile = because !== 'catalogue'
      const changed = isFile ? await changing.reload() : undefined
      const reloaded = await policyOnly.reload(because, by)
      if (changed?.ok === true && reloaded.ok) onReloaded?.()
      return reloaded
    },
  }
  const unwatch = source.watch(() => void live.reload('file'))
  const unfollow = followMembers({
    notices: ports.notices,
    catalogue,
    live,
    servers: Object.keys(config.servers),
    onFault: (error) => log('error', 'changes made by another node could not be read', { error: String(error) }),
  })
  for (const { name, tools } of guests.servers) await onListed(name, tools)
  const settled = Promise.allSettled(configs.map(({ name }) => servers.ready(name))).then(() => undefined)
  const firstListing = Promise.race([settled, sleep(FIRST_LISTING_MS, undefined, { ref: false })])
  return ok({
    ports: {
      firstListing: () => firstListing,
      yieldWhenDue,
      catalogue,
      live,
      policy: () => live.current(),
      servers: guests.observers.servers(
        answeredByGuests(filterReplies(servers, guard.filters), guests.servers, mayAct),
      ),
      offerings: guard.offerings(servers),
      serverReports: () =>
        own.redactAll(
          servers.status().map((status) => ({ ...report(status), findings: listingFindings.of(status.server) })),
        ),
      async retryServer(server) {
        await changing.findSecrets(server)
        await servers.retry(server)
      },
    },
    settled,
    closeServers: () => servers.close(),
    unwatch() {
      unwatch()
      unfollow()
    },
  })
}

/** Wraps the policy and logs every reload that a person should know about. */
function loggedPolicy(live: LivePolicy, catalogue: Pick<Catalogue, 'tools'>, log: Log): LivePolicy {
  return {
    ...live,
    async reload(because, by) {
      const reloaded = await live.reload(because, by)
      if (!reloaded.ok) log('error', specOf(reloaded.problem).says, reloaded.problem.about)
      else if (reloaded.value.changed) {
        log('info', 'a new policy is active', { because, ...reloaded.value })
        for (const { says, source } of unlistedRules(live.current(), catalogue)) log('warn', says, { source })
      }
      return reloaded
    },
  }
}

/** How many lines of its stderr are shown with a server's state. */
const LINES = 20
/** A key that is longer than a line cannot be recognized by its line. */
const PART_OF_A_KEY = /^\s*[\w+/=-]{40,}\s*$/

/** A server's state as people may see it: what the server itself wrote may contain anybody's secrets. */
function serverReporter(scrub: ScrubText): (status: ServerStatus) => ServerStatus {
  const withoutSecrets = (line: string): string => (PART_OF_A_KEY.test(line) ? '[REDACTED]' : scrub(line))
  // The state is read for every search, and changes rarely.
  const known = new WeakMap<readonly string[], readonly string[]>()
  return (status) => {
    const stderr = known.get(status.stderr) ?? status.stderr.slice(-LINES).map(withoutSecrets)
    known.set(status.stderr, stderr)
    const { last_failure } = status
    return { ...status, stderr, ...(last_failure === undefined ? {} : { last_failure: scrub(last_failure) }) }
  }
}

type OnListedSetup = RegisterPorts & {
  readonly live: Pick<LivePolicy, 'reload'>
  readonly listingFindings: ListingFaults
  readonly table: ServerTable
  readonly log: Log
}

/** Registers what a server lists, and reports what was cut, left out or is missing the first time that happens. */
function onListedWith(deps: OnListedSetup): ToolsListed {
  const { live, listingFindings, table, log } = deps
  /** What was last said about each server: one that lists its tools again and again must not fill the log. */
  const said = new Map<string, string>()
  return async (server, definitions, findings) => {
    const registered = await registerTools(deps, server, definitions, findings)
    if (!registered.ok)
      return log('error', 'the tools of a server could not be registered', { server, code: registered.problem.code })
    listingFindings.set(server, registered.value.findings)
    for (const { rule, tools, example } of registered.value.news)
      log('warn', LISTING_SAYS[rule], { server, tools, example })
    const unlisted = unlistedSettings(deps.digest, server, table[server], idsIn(deps.digest, server, definitions))
    if (said.get(server) !== unlisted.join()) for (const says of unlisted) log('warn', says, { server })
    said.set(server, unlisted.join())
    // Conditions are checked against admitted schemas, and some may be new.
    if (registered.value.listed.length > 0) await live.reload('catalogue')
  }
}

/** Where earlier releases stored the files of tool servers: inside the data folder. A backup has them there too. */
const oldPlace = (data: string) => join(data, 'servers')

/**
 * The folders in which tool servers may store files, beside the data folder, so that a server's own folder is not next to the
 * gate's keys. What an earlier release or a backup put into the data folder is moved there; nothing that exists is replaced.
 */
export function openServerFolders(data: string, servers: readonly ServerConfig[]): readonly ServerConfig[] {
  const { servers: folder } = placesIn(data)
  const children = servers.filter((server) => 'cwd' in server)
  if (children.length > 0 || existsSync(oldPlace(data))) makeFolder(folder)
  if (existsSync(oldPlace(data))) moveFolders(oldPlace(data), folder)
  const isShared = children.some((server) => runAsOf(server) !== undefined)
  // Other users can pass through to their own folder, and see nothing else.
  if (isShared) chmodSync(folder, 0o711)
  return servers.map((server) => {
    const own = join(folder, server.name)
    const as = runAsOf(server)
    if (as !== undefined) {
      mkdirSync(own, { recursive: true, mode: 0o700 })
      chownSync(own, as.uid, as.gid)
    }
    return { ...server, data: own }
  })
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, '.gitignore'), '*\n')
}

function moveFolders(from: string, to: string): void {
  for (const name of readdirSync(from)) if (!existsSync(join(to, name))) renameSync(join(from, name), join(to, name))
  if (readdirSync(from).length === 0) rmdirSync(from)
}

const runAsOf = (server: ServerConfig) => ('run_as' in server ? server.run_as : undefined)
