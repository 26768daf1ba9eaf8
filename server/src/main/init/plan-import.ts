import { relative } from 'node:path'
import { CONFIG } from '../config-schema.ts'
import { readConfig } from '../../kernel/contract/read-config.ts'
import type { FoundClient, FoundServer } from './init-report.ts'
import type { HostEnvironment } from '../../adapters/files/client-hooks.ts'
import type { ClientFile } from './client-files.ts'
import type { ScrubText } from '../scrub-text.ts'
import { serverLines } from '../trust/programs-of.ts'
import { insteadOf, timeoutKey } from './entry-keys.ts'
import { looksSecret, readEntry, variableIn, type ServerEntry, type ReadEntry } from './read-entry.ts'
import { trimmedBoth, trimmedEnd } from '../../kernel/contract/trimmed.ts'

/** A client's file with its servers. */
export type Opened = ClientFile & { readonly text: string; readonly servers: Readonly<Record<string, unknown>> }

export type Secret = {
  readonly server: string
  readonly key: string
  readonly file: string
  readonly reference: string
  readonly value: string
}
export type ImportSettings = Readonly<Record<string, unknown>>

export type ImportPlan = {
  readonly clients: readonly FoundClient[]
  /** New ones, by their names in `sluice.yaml`. */
  readonly servers: ReadonlyMap<string, ImportSettings>
  readonly secrets: readonly Secret[]
}

export type PlanSetup = Pick<HostEnvironment, 'home' | 'cwd' | 'env'> & {
  /** Of `sluice.yaml`. */
  readonly folder: string
  readonly secretsFolder: string
  /** What is already in `sluice.yaml`. */
  readonly existing: Readonly<Record<string, unknown>>
  /** Names that new servers cannot have. */
  readonly names: readonly string[]
  /** The value of a reference in it, if that is a file. */
  readonly resolve: (value: string) => string
  readonly scrub: ScrubText
}

/** Which servers are imported, under which names, with which secrets moved to files. Writes nothing. */
export function planImport(files: readonly Opened[], deps: PlanSetup): ImportPlan {
  const servers = new Map<string, ImportSettings>()
  const secrets: Secret[] = []
  const known = new Map(Object.entries(deps.existing).map(([name, settings]) => [keyOf(settings, deps.resolve), name]))
  const taken = new Set(deps.names)

  function take(client: string, name: string, value: unknown): FoundServer {
    const read = readEntry(value, { ...deps, client, name })
    if (read.is === 'left') return { name, note: read.why }
    if (read.is === 'gate') return { name, note: 'it already is the gate' }
    const same = known.get(keyOf(read.entry, asWritten))
    if (same !== undefined) return { name, as: same, ...lostOf(same, withOtherTime(read, client, same)) }
    const as = freeName(name, taken)
    const { settings, put_aside, notes } = settingsOf(as, read.entry, deps)
    const checked = readConfig(CONFIG, { servers: { [as]: settings } })
    if (!checked.ok) return { name, note: `it cannot be imported: ${checked.problem.about['paths'] ?? ''}` }
    taken.add(as)
    known.set(keyOf(read.entry, asWritten), as)
    servers.set(as, settings)
    secrets.push(...put_aside)
    const added = checked.value.servers[as]
    const runs = added === undefined ? [] : serverLines(as, added)
    const all = [...read.notes, ...notes]
    return { name, as, runs, ...(all.length === 0 ? {} : { note: all.join('; ') }), ...lostOf(as, read.lost) }
  }

  /** It keeps the settings of the one that was found first. */
  function withOtherTime({ entry, lost }: ReadServer, client: string, same: string): readonly string[] {
    const first = (servers.get(same) ?? deps.existing[same]) as ImportSettings | undefined
    const isOther = entry.timeout_ms !== undefined && entry.timeout_ms !== first?.['timeout_ms']
    return isOther ? [...lost, timeoutKey(client)?.key ?? 'timeout'] : lost
  }

  const clients = files.map(({ client, file, servers: found }) => ({
    client,
    file,
    servers: Object.entries(found).map(([name, value]) => take(client, name, value)),
  }))
  return { clients, servers, secrets }
}

type ReadServer = Extract<ReadEntry, { is: 'server' }>

/** The keys of a client's entry that are not in our settings, each with what to do instead. */
function lostOf(server: string, keys: readonly string[]): Pick<FoundServer, 'not_supported'> {
  if (keys.length === 0) return {}
  return {
    not_supported: keys.map((key) => {
      const instead = insteadOf(key, server)
      return { key, ...(instead === undefined ? {} : { instead }) }
    }),
  }
}

/** The same server in two clients, or already in `sluice.yaml`, is one server; with another credential it is another one. */
function keyOf(settings: unknown, resolve: (value: string) => string): string {
  const { command, args, url, cwd, env, headers } = settings as ServerEntry
  const sorted = (record: Readonly<Record<string, string>> = {}) =>
    Object.entries(record)
      .map(([key, value]) => JSON.stringify([key, resolve(value)]))
      .toSorted((one, other) => (one < other ? -1 : 1))
  return JSON.stringify([command, args ?? [], url, cwd, sorted(env), sorted(headers)])
}

/** A variable is compared by its name; a secret in a file, by its value. */
function asWritten(value: string): string {
  const variable = variableIn(value)
  return variable === undefined ? value : `env:${variable}`
}

/** `My_Server` becomes `my-server`; a taken name gets a number. */
export function freeName(wished: string, taken: ReadonlySet<string>): string {
  const dashed = wished
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
  const plain = trimmedEnd(trimmedBoth(dashed, '-').slice(0, 32), '-')
  const name = plain === '' ? 'server' : plain
  if (!taken.has(name)) return name
  for (let count = 2; ; count += 1) {
    const next = `${name.slice(0, 32 - `-${count}`.length)}-${count}`
    if (!taken.has(next)) return next
  }
}

type Made = {
  readonly settings: ImportSettings
  readonly put_aside: readonly Secret[]
  readonly notes: readonly string[]
}

function settingsOf(server: string, entry: ServerEntry, deps: PlanSetup): Made {
  const put_aside: Secret[] = []
  const notes: string[] = []
  const refer = (key: string, value: string): string => {
    const variable = variableIn(value)
    if (variable !== undefined) {
      notes.push(`set ${variable} in the environment of the gate`)
      return `env:${variable}`
    }
    // Plain text that would be read as a reference is moved to a file too.
    if (!looksSecret(deps.scrub, key, value) && !/^(?:env|file):/.test(value)) return value
    const file = `${server}.${key.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`
    const reference = `file:${relative(deps.folder, deps.secretsFolder).replaceAll('\\', '/')}/${file}`
    put_aside.push({ server, key, file, reference, value })
    return reference
  }
  const each = (record: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, refer(key, value)]))
  const { env, headers, ...plain } = entry
  const roots = fileRoots(entry)
  if (roots.length > 0) notes.push(`restricted to ${roots.join(', ')} by a sandbox`)
  const settings = {
    ...plain,
    ...(roots.length === 0 ? {} : { sandbox: { roots, base: roots[0], local: true } }),
    ...(env === undefined ? {} : { env: each(env) }),
    ...(headers === undefined ? {} : { headers: each(headers) }),
  }
  return { settings, put_aside, notes }
}

/** Packages and programs that serve files, by the usual names. */
const FILE_SERVER = /file-?system|\bmcp-?(?:server-?)?(?:files?|fs)\b|\b(?:files?|fs)-?(?:server|mcp)\b/i
/** In a container, paths differ from those on this machine. */
const ELSEWHERE = /^(?:docker|podman|nerdctl|wsl|ssh)(?:\.exe)?$/i
const FOLDER = /^(?:[\\/~]|\.{1,2}(?:[\\/]|$)|[A-Za-z]:[\\/])/

/** The folders that a file server is started with, which are those its calls may access. */
function fileRoots({ command, args = [] }: ServerEntry): readonly string[] {
  if (command === undefined || ELSEWHERE.test(command.split(/[\\/]/).at(-1) ?? '')) return []
  const at = args.findIndex((arg) => FILE_SERVER.test(arg))
  if (at < 0 && !FILE_SERVER.test(command)) return []
  const rest = args.slice(at + 1).map((arg) => arg.replace(/^--?[\w-]+=/, ''))
  return [...new Set(rest.filter((arg) => FOLDER.test(arg)))]
}
