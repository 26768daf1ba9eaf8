import type { LiveCatalogue } from '../kernel/catalogue/catalogue.ts'
import { idsOf, unlistedSettings } from '../kernel/catalogue/unlisted-settings.ts'
import type { Ledger } from '../kernel/ports/ledger.ts'
import type { AuditDraft } from '../kernel/contract/audit.ts'
import type { Config } from '../kernel/contract/config.ts'
import type { ServerSettings } from '../kernel/contract/server-settings.ts'
import { ok, refuse, specOf, type Problem, type Result } from '../kernel/contract/problems.ts'
import { sha256Hex } from '../adapters/keys/digest.ts'
import { serverConfigs } from '../adapters/upstream/server-config.ts'
import type { ServerConfig } from '../adapters/upstream/server-kind.ts'
import type { OpenToolServers } from '../adapters/upstream/tool-server-status.ts'
import type { Log } from '../kernel/ports/log.ts'
import { SERVER_KINDS } from './server-kinds.ts'
import { randomIds } from './random-ids.ts'

/** The configured servers by name, looked up at each use. Only a reload changes its entries. */
export type ServerTable = Record<string, ServerSettings>

export type LiveServersSetup = {
  readonly table: ServerTable
  readonly folder: string
  /** Those of the table, as they were resolved at the start. */
  readonly configs: readonly ServerConfig[]
  /** The servers according to the configuration now. */
  readonly read: () => Result<Config['servers']>
  readonly place: (configs: readonly ServerConfig[]) => readonly ServerConfig[]
  readonly servers: Pick<OpenToolServers, 'change'>
  readonly catalogue: Pick<LiveCatalogue, 'reconfigured' | 'tools'>
  readonly ledger: Ledger
  readonly log: Log
  /** Called after the table changed: the gate's own secrets may have changed too. */
  readonly onChange: () => void
}

export type ServersChanged = {
  readonly added: readonly string[]
  readonly changed: readonly string[]
  readonly removed: readonly string[]
}

export type LiveServers = {
  reload(): Promise<Result<ServersChanged>>
  /** Looks again for the secrets that a server lacks. */
  findSecrets(server: string): Promise<void>
}

/**
 * Adds, changes and removes tool servers while the gate runs. A configuration with a mistake changes nothing.
 * INVARIANT: a change is recorded before it is made.
 */
export function liveServers(deps: LiveServersSetup): LiveServers {
  let current = deps.configs
  let queue: Promise<unknown> = Promise.resolve()

  async function reload(): Promise<Result<ServersChanged>> {
    const { table, log } = deps
    const next = deps.read()
    if (!next.ok) return refused(log, next.problem)
    const configs = serverConfigs(SERVER_KINDS, next.value, deps.folder)
    if (!configs.ok) return refused(log, configs.problem)
    const change = differenceOf(table, next.value)
    const names = Object.values(change).flat()
    if (names.length === 0) return ok(change)
    if ((await deps.ledger.commit([{ kind: 'audit', entry: entryOf(change) }])) !== 'committed') {
      log('error', 'the change of the tool servers could not be recorded, so it was not applied', { ...change })
      return refuse('audit.unavailable')
    }
    for (const name of change.removed) delete table[name]
    Object.assign(table, next.value)
    deps.onChange()
    current = configs.value
    deps.servers.change(deps.place(current))
    await deps.catalogue.reconfigured(names)
    log('info', 'the tool servers were changed', { ...change })
    // The tools of an added one are not listed yet.
    for (const server of change.changed)
      for (const says of unlistedSettings(sha256Hex, server, table[server], idsOf(server, deps.catalogue)))
        log('warn', says, { server })
    return ok(change)
  }

  async function findSecrets(server: string): Promise<void> {
    if (!current.some(({ name, missing }) => name === server && missing !== undefined)) return
    const configs = serverConfigs(SERVER_KINDS, deps.table, deps.folder)
    const found = configs.ok ? configs.value.find(({ name }) => name === server) : undefined
    if (found === undefined || found.missing !== undefined) return
    current = current.map((config) => (config.name === server ? found : config))
    deps.onChange()
    deps.servers.change(deps.place(current))
  }

  /** One after the other. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const one = queue.then(work)
    queue = one.catch(() => undefined)
    return one
  }

  return { reload: () => inTurn(reload), findSecrets: (server) => inTurn(() => findSecrets(server)) }
}

function entryOf({ added, changed, removed }: ServersChanged): AuditDraft {
  const about = { added: [...added], changed: [...changed], removed: [...removed] }
  return { at: Date.now(), type: 'servers.changed', actor: 'gate', trace: randomIds.trace(), subject: {}, about }
}

function refused(log: Log, found: Problem): Result<never> {
  log('error', `${specOf(found).says}; the tool servers were not changed`, found.about)
  return { ok: false, problem: found }
}

function differenceOf(before: ServerTable, next: Config['servers']): ServersChanged {
  const isSame = (name: string) => JSON.stringify(before[name]) === JSON.stringify(next[name])
  const names = Object.keys(next)
  return {
    added: names.filter((name) => !Object.hasOwn(before, name)),
    changed: names.filter((name) => Object.hasOwn(before, name) && !isSame(name)),
    removed: Object.keys(before).filter((name) => !Object.hasOwn(next, name)),
  }
}
