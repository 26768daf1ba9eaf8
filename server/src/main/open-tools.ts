import { setTimeout as sleep } from 'node:timers/promises'
import { filterAnswers } from '../kernel/attempt/filter-answers.ts'
import { openCatalogue } from '../kernel/catalogue/catalogue.ts'
import { openListingFindings } from '../kernel/catalogue/listing-findings.ts'
import { followNodes, announcingPolicy } from '../kernel/changes/follow-nodes.ts'
import { openLivePolicy, type LivePolicy } from '../kernel/policy/live-policy.ts'
import { unlistedRules } from '../kernel/catalogue/listed-tools.ts'
import type { Clock } from '../kernel/ports/runtime.ts'
import type { Catalogue } from '../kernel/ports/catalogue.ts'
import { ok, PROBLEMS, type Result } from '../kernel/contract/problems.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { openToolServers } from '../adapters/upstream/open-tool-servers.ts'
import { createYieldWhenDue } from './yield-when-due.ts'
import { placesIn } from './data-folder.ts'
import type { Settings } from './load-config.ts'
import type { GateOptions } from './gate-options.ts'
import { liveServers, type ServerTable } from './live-servers.ts'
import type { Log } from '../kernel/ports/log.ts'
import { answeredByGuests, withGuestServers } from './guest-servers.ts'
import { onListedWith } from './on-listed.ts'
import type { Storage } from './open-storage.ts'
import { randomIds } from './random-ids.ts'
import type { Parts } from './read-parts.ts'
import { openServerFolders } from './server-folders.ts'
import { SERVER_KINDS } from './server-kinds.ts'
import { textScrubber } from './scrub-text.ts'
import { serverReporter } from './server-reports.ts'
import type { Ports } from '../kernel/ports/guest-ports.ts'

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
  const listingFindings = await openListingFindings(tables, Object.keys(config.servers))
  const source = policy ?? { read: () => ({ ok: true, value: settings.policy }), watch: () => () => {} }
  const opened = await openLivePolicy({ ...shared, catalogue, read: () => source.read() }, settings.policy)
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
  const unfollow = followNodes({
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
        answeredByGuests(filterAnswers(servers, guard.filters), guests.servers, mayAct),
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
      if (!reloaded.ok) log('error', PROBLEMS[reloaded.problem.code].says, reloaded.problem.about)
      else if (reloaded.value.changed) {
        log('info', 'a new policy is active', { because, ...reloaded.value })
        for (const { says, source } of unlistedRules(live.current(), catalogue)) log('warn', says, { source })
      }
      return reloaded
    },
  }
}
