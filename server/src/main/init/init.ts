import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve as resolvePath } from 'node:path'
import { readConfig } from '../../kernel/contract/read-config.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type { FoundHook, InitReport, InitOptions } from './init-report.ts'
import type { UpOptions } from '../../adapters/cli/local-gate.ts'
import { parseDocument } from 'yaml'
import { secretOf } from '../../adapters/upstream/server-config.ts'
import { makeDataFolder, placesIn } from '../data-folder.ts'
import { dataIn, DEFAULT_DATA, loadConfig } from '../load-config.ts'
import { LAUNCHER } from '../../adapters/files/own-programs.ts'
import { configFileOf, settingsOf } from '../local-gate.ts'
import type { ClientHooks, HookPlace, HookProgram, HostEnvironment } from '../../adapters/files/client-hooks.ts'
import { clientFiles, type ClientFile } from './client-files.ts'
import { choosePort } from './choose-port.ts'
import { changeClients, undoClients, withGate, type Cleanup, type Replacement } from './client-changes.ts'
import { CONFIG } from '../config-schema.ts'
import { schemaText } from '../described-schema.ts'
import { extendedConfigText, newConfigText, SCHEMA_FILE } from './config-text.ts'
import { withoutComments } from '../../adapters/files/jsonc.ts'
import { openClients } from './open-clients.ts'
import { onlyPartOf } from '../guest-parts.ts'
import { textScrubber, type ScrubText } from '../scrub-text.ts'
import { isTrusted, trust } from '../trust/check-trust.ts'
import { gateIn } from './read-entry.ts'
import { freeName, planImport, type Opened, type ImportPlan, type ImportSettings } from './plan-import.ts'
import { realFile, textIn, writeWhole } from '../../adapters/files/whole-file.ts'

/** What guests add. Without hooks, the tools of coding agents are not judged. */
type InitParts = { readonly hooks: ClientHooks | undefined; readonly scrub: ScrubText }

export const initParts = async (): Promise<InitParts> => ({
  hooks: await onlyPartOf(({ clientHooks }) => clientHooks),
  scrub: await textScrubber(),
})

/**
 * Imports the servers of MCP clients: writes `sluice.yaml`, moves secrets to files, and replaces them by the gate in the clients
 * if requested.
 */
export function init(
  { hooks, scrub }: InitParts,
  options: UpOptions,
  initOptions: InitOptions,
  around: HostEnvironment,
  port = USUAL.port,
): Result<InitReport> {
  const file = configFileOf(options)
  const folder = dirname(file)
  const data = resolvePath(options.data ?? dataIn(file))
  const backups = join(data, 'init')
  // `data` may have been changed since the clients were.
  const hook = hooks?.programOf(data, around) ?? ''
  const isHooked = (text = '') => hooks?.isHooked(text) === true
  const cleanup = {
    remove() {
      // An earlier change of clients may still need it.
      if (!hooks?.places(around).some((place) => isHooked(textIn(place.file)))) hooks?.removeProgram(hook)
    },
    withoutHooks: (text: string, before: string) => (hooks === undefined ? text : hooks.removed(text, before)),
  }
  if (initOptions.undo) return undo(file, [...new Set([backups, join(folder, DEFAULT_DATA, 'init')])], cleanup)
  if (existsSync(file)) {
    const sound = loadConfig(file, true)
    if (!sound.ok) return sound
  }
  const places = hooks?.places(around) ?? []
  const looked = wanted(around, initOptions.from, places)
  if (!looked.ok) return looked
  const { files, unreadable } = openClients(looked.value)
  const existing = existsSync(file) ? serversIn(readFileSync(file, 'utf8')) : {}
  const resolve = (value: string) => (value.startsWith('file:') ? (secretOf(value, folder, {}) ?? value) : value)
  const hooked = hooksFor(places, initOptions, existing)
  const names = [...Object.keys(existing), ...hooked.servers.keys()]
  const deps = { ...around, folder, secretsFolder: join(data, 'secrets'), existing, names, resolve, scrub }
  const imported = planImport(files, deps)
  const plan = { ...imported, servers: new Map([...imported.servers, ...hooked.servers]) }
  const text = configText(file, plan, { data: shownPath(folder, data), port })
  if (text === undefined) return refuse('config.invalid', { file, paths: 'servers: not a map of servers' })
  const { replacements, notes } = initOptions.write
    ? replacementsFor(files, plan, file)
    : { replacements: [], notes: [] }
  const program = { node: process.execPath, hook, socket: placesIn(data).socket }
  const changes = initOptions.write ? withHookFiles(replacements, hooked.places, program, hooks) : []
  const stateOf = (place: string): FoundHook['state'] => {
    if (changes.some((change) => change.file === place && isHooked(change.text))) return 'added'
    return isHooked(textIn(place)) ? 'installed' : 'absent'
  }
  const unhooked = hooked.places.filter((place) => stateOf(place.file) === 'absent')
  const secrets = plan.secrets.map(({ server, key, reference }) => ({ server, key, reference }))
  const config_is = !existsSync(file) ? 'written' : plan.servers.size > 0 ? 'extended' : 'unchanged'
  const report = {
    config: file,
    config_is,
    dry_run: initOptions.dry_run,
    clients: plan.clients,
    hooks: hooked.present.map((place) => ({ client: place.client, file: place.file, state: stateOf(place.file) })),
    secrets,
    snippet: { mcpServers: { sluice: entryFor('my-agent', file) } },
    notes: [
      ...unreadable.map((says) => `${says} and was not changed`),
      ...notes,
      ...unhooked.map(
        (place) => `${place.file} could not be changed, so the hooks of ${place.client} are not installed`,
      ),
      ...(config_is === 'written' ? portNotes(port) : []),
    ],
  } as const
  if (initOptions.dry_run) return ok({ ...report, changed: changes.map((each) => ({ file: each.file, backup: '' })) })
  const made = makeDataFolder(data)
  if (!made.ok) return made
  writeWhole(join(data, SCHEMA_FILE), Buffer.from(schemaText()), 0o600)
  for (const secret of plan.secrets)
    writeWhole(join(data, 'secrets', secret.file), Buffer.from(`${secret.value}\n`), 0o600)
  if (config_is !== 'unchanged') writeWhole(file, Buffer.from(text), existsSync(file) ? undefined : 0o644)
  // Last: a client is pointed at the gate only when everything it needs is on disk.
  const install = () => (hooked.places.length === 0 ? ok(undefined) : (hooks?.installProgram(hook) ?? ok(undefined)))
  const needed = { ...cleanup, file: hook, install }
  const changed = changes.length > 0 ? changeClients(backups, changes, needed) : install()
  return changed.ok ? ok({ ...report, changed: changed.value ?? [] }) : changed
}

/** The same for the clients and the free ports of this machine. */
export async function initHere(options: UpOptions, initOptions: InitOptions): Promise<Result<InitReport>> {
  const around = { home: homedir(), cwd: process.cwd(), platform: process.platform, env: process.env }
  const before = settingsOf(options)
  const mayTrust = !existsSync(configFileOf(options)) || (before.ok && isTrusted(before.value))
  const done = init(await initParts(), options, initOptions, around, await choosePort(USUAL.host, USUAL.port))
  if (!done.ok || initOptions.dry_run || initOptions.undo) return done
  const isSeen = initOptions.write || !done.value.clients.some((client) => isOfProject(client, around))
  const now = settingsOf(options)
  const isKept = mayTrust && isSeen && now.ok && trust(now.value).ok
  return isKept ? done : ok({ ...done.value, notes: [...done.value.notes, NOT_TRUSTED] })
}

const NOT_TRUSTED = 'you have not trusted this configuration yet: `sluice up` shows what it would start, and asks once'

/** A repository can bring such a file, and without `--write` nobody was asked about what it names. */
function isOfProject({ file, servers }: InitReport['clients'][number], { cwd, home }: HostEnvironment): boolean {
  const inside = relative(cwd, file)
  return (
    cwd !== home && !inside.startsWith('..') && !isAbsolute(inside) && servers.some(({ runs }) => runs !== undefined)
  )
}

const USUAL = { host: '127.0.0.1', port: 7420 }

const portNotes = (port: number): readonly string[] =>
  port === USUAL.port ? [] : [`port ${USUAL.port} is in use, so this gate will listen on port ${port}`]

function undo(file: string, backups: readonly string[], cleanup: Cleanup): Result<InitReport> {
  const undone = undoClients(backups, cleanup)
  if (!undone.ok) return undone
  const notes = undone.value.flatMap(({ file: merged, backup, isMerged }) =>
    isMerged === true
      ? [
          `${merged} was changed since: that is kept, and only what is Sluice's is removed; before: ${backup === '' ? 'absent' : backup}`,
        ]
      : [],
  )
  const nothing = { clients: [], hooks: [], secrets: [], snippet: {}, notes }
  return ok({
    config: file,
    config_is: 'unchanged',
    dry_run: false,
    ...nothing,
    changed: undone.value.map(({ file: restored, backup }) => ({ file: restored, backup })),
  })
}

function shownPath(folder: string, path: string): string {
  const inside = relative(folder, path).replaceAll('\\', '/')
  return inside.startsWith('..') || isAbsolute(inside) ? path : `./${inside}`
}

function serversIn(text: string): Readonly<Record<string, unknown>> {
  const read = readConfig(CONFIG, parseDocument(text).toJS())
  return read.ok ? read.value.servers : {}
}

type Written = { readonly data: string; readonly port: number }

function configText(file: string, { servers }: ImportPlan, { data, port }: Written): string | undefined {
  return existsSync(file) ? extendedConfigText(readFileSync(file, 'utf8'), servers) : newConfigText(servers, data, port)
}

/** The requested clients; all if none was named. Any other file may be named too. */
function wanted(
  around: HostEnvironment,
  from: readonly string[],
  hooked: readonly HookPlace[],
): Result<readonly ClientFile[]> {
  const all = clientFiles(around)
  const missing = from.filter(
    (word) => ![...all, ...hooked].some(({ client }) => client === word) && !existsSync(resolvePath(around.cwd, word)),
  )
  if (missing.length > 0) {
    const clients = [...new Set(all.map(({ client }) => client))].join(', ')
    return refuse('init.unknown_client', { named: missing.join(', '), clients })
  }
  if (from.length === 0) return ok(all)
  return ok(
    from.flatMap((word) => {
      const ofClient = all.filter(({ client }) => client === word)
      const isHooked = hooked.some(({ client }) => client === word)
      return ofClient.length > 0 || isHooked ? ofClient : [clientAt(all, resolvePath(around.cwd, word))]
    }),
  )
}

function clientAt(all: readonly ClientFile[], file: string): ClientFile {
  const format = file.endsWith('.toml') ? 'toml' : /\.ya?ml$/.test(file) ? 'yaml' : 'json'
  const unknown: ClientFile = { client: 'agent', file, at: [format === 'toml' ? 'mcp_servers' : 'mcpServers'], format }
  return all.find((each) => each.file === file) ?? unknown
}

/** Absolute, because GUI clients have another PATH than a terminal. */
const entryFor = (client: string, config: string, { one_list, cmd }: Pick<ClientFile, 'one_list' | 'cmd'> = {}) => {
  const args = [LAUNCHER, 'mcp', '--config', config, '--agent', client]
  if (one_list === true) return { command: [process.execPath, ...args] }
  return { [cmd === true ? 'cmd' : 'command']: process.execPath, args }
}

/**
 * The coding agents on this machine, those whose built-in tools are to be judged, and their servers that are not in the
 * configuration yet.
 */
function hooksFor(all: readonly HookPlace[], initOptions: InitOptions, existing: Readonly<Record<string, unknown>>) {
  const { from, write, hooks } = initOptions
  const present = all.filter(({ client, home }) => existsSync(home) && (from.length === 0 || from.includes(client)))
  const places = write && hooks ? present : []
  const known = new Set(Object.values(existing).map((settings) => (settings as { client?: string }).client))
  const servers = new Map<string, ImportSettings>()
  for (const { client } of places) {
    // Another server may have this name already.
    if (!known.has(client)) servers.set(freeName(client, new Set(Object.keys(existing))), { client })
  }
  return { present, places, servers }
}

/** A file that contains both servers and hooks, or has two paths, is changed once. */
function withHookFiles(
  replacements: readonly Replacement[],
  places: readonly HookPlace[],
  program: HookProgram,
  hooks: ClientHooks | undefined,
): readonly Replacement[] {
  const changes = new Map(replacements.map((each) => [realFile(each.file), each]))
  const textNow = (file: string) => changes.get(realFile(file))?.text ?? textIn(file)
  const change = (file: string, text: string | undefined) => {
    const { replaced = [] } = changes.get(realFile(file)) ?? {}
    if (text !== undefined) changes.set(realFile(file), { file, text, replaced })
  }
  for (const place of places)
    for (const { file, text } of hooks?.added(place, program, textNow) ?? []) change(file, text)
  return [...changes.values()]
}

type Replaced = { readonly replacements: readonly Replacement[]; readonly notes: readonly string[] }

/** Two places of one file are changed one after the other in one text. */
function replacementsFor(files: readonly Opened[], { clients }: ImportPlan, config: string): Replaced {
  const changes = new Map<string, Replacement>()
  const notes = new Set<string>()
  for (const [at, opened] of files.entries()) {
    const { file } = opened
    const taken = (clients[at]?.servers ?? []).filter(({ as }) => as !== undefined).map(({ name }) => name)
    if (taken.length === 0) continue
    const other = taken.includes('sluice') ? undefined : otherSluice(opened.servers['sluice'], config)
    if (other !== undefined) {
      notes.add(`${file} already has ${other}, so it is not changed; remove or rename that entry, then run this again`)
      continue
    }
    const entry = {
      ...ownSettings(opened.servers['sluice']),
      ...opened.entry,
      ...entryFor(opened.client, config, opened),
    }
    const real = realFile(file)
    const before = changes.get(real)?.text ?? opened.text
    const text = withGate({ ...opened, text: before }, taken, entry)
    if (text === undefined) {
      notes.add(`${file} could not be changed without rewriting it; add the gate by hand`)
      continue
    }
    const replaced = [...(changes.get(real)?.replaced ?? []), { at: opened.at, removed: taken }]
    changes.set(real, { file, text, ...(opened.format === 'json' ? { replaced } : {}) })
    if (commentsIn(text, opened.format) < commentsIn(before, opened.format))
      notes.add(`${file}: comments about servers that are moved are kept in the backup only`)
  }
  return { replacements: [...changes.values()], notes: [...notes] }
}

/** What the user has set for the gate in this client, such as a time limit, stays. */
function ownSettings(entry: unknown): Readonly<Record<string, unknown>> {
  if (gateIn(entry) === undefined) return {}
  const { command: _command, args: _args, cmd: _cmd, name: _name, ...own } = entry as Readonly<Record<string, unknown>>
  return own
}

/** How much of a file is comments: characters, or in TOML and YAML about how many there are. */
function commentsIn(text: string, format: ClientFile['format']): number {
  if (format !== 'json') return (text.match(/(?:^|\s)#/gm) ?? []).length
  const bare = withoutComments(text)
  return text.split('').filter((sign, at) => sign !== bare[at]).length
}

/** What the entry `sluice` of a client is, if it is not the one of this gate: it would be overwritten. */
function otherSluice(entry: unknown, config: string): string | undefined {
  if (entry === undefined) return undefined
  const read = gateIn(entry)
  if (read === undefined) return 'another server called `sluice`'
  return read.config === undefined || resolvePath(dirname(config), read.config) === config
    ? undefined
    : `an entry for the gate of ${read.config}`
}
