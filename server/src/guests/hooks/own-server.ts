import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import type { ToolPlace } from './judge-tool-use.ts'
import type { HookClient } from '../../kernel/contract/hook-clients.ts'
import { isJsonObject, type Json } from '../../kernel/contract/json.ts'
import type { HostEnvironment } from '../../adapters/files/client-hooks.ts'
import { readJsonc } from '../../adapters/files/jsonc.ts'
import { tomlServers } from '../../adapters/files/toml.ts'
import { LAUNCHER } from '../../adapters/files/own-programs.ts'
import { inRealFolder } from '../../adapters/files/whole-file.ts'

/** How the name of a tool begins that a client has from the MCP server `sluice`. Cursor does not say which server it is. */
const BEGINS: Readonly<Record<HookClient, RegExp>> = {
  'claude-code': /^mcp__sluice__/,
  codex: /^mcp__sluice__/,
  copilot: /^sluice-/,
  cursor: /^(?:mcp__|MCP:)/,
  gemini: /^mcp_+sluice_/,
  opencode: /^sluice_/,
  qwen: /^mcp__sluice__/,
}

type Gate = { readonly config: string; readonly url: () => string }
type Around = Pick<HostEnvironment, 'home' | 'env'>

/**
 * Whether a tool that a client is about to use is one of this gate's own MCP server, which judges it itself when the call arrives.
 * Its name proves nothing: `sluice` may be another server, and `mcp__sluice__x__run` the tool `run` of a server `sluice__x`. So in
 * all files in which the client may have servers, those of its user and of its project, `sluice` has to be the entry that `init`
 * writes, and no other name may begin like it.
 * INVARIANT: a file that cannot be read, or an entry with anything that is not expected, means no.
 */
export function ownServer(gate: Gate, around: Around = { home: homedir(), env: process.env }) {
  const read = rememberingReads()
  return ({ client, tool, server, folders = [] }: ToolPlace): boolean => {
    if (!BEGINS[client].test(tool) || (server !== undefined && server !== 'sluice')) return false
    // Without its folders, it is unknown which servers a project brings.
    if (folders.length === 0 || !folders.every(isAbsolute)) return false
    const found = serverFiles(client, around, folders).map((place) => serversIn(place, read))
    const entries = found.reduce(bothOf, [])
    if (entries === 'unknown') return false
    const meant = entries.filter(([name]) => client === 'cursor' || /^sluice(?:[_-]|$)/.test(plainName(name)))
    return meant.length > 0 && meant.every(([name, entry]) => name === 'sluice' && isOurs(entry, gate))
  }
}

/** As clients write the name of a server into the names of its tools. */
const plainName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9_-]/g, '_')

/** What an entry may contain beside the program. Anything else, such as an environment, could make it another program. */
const HARMLESS = new Set(
  'type enabled disabled timeout trust description startup_timeout_sec tool_timeout_sec tools headers http_headers bearer_token_env_var'.split(
    ' ',
  ),
)
const URLS = new Set(['url', 'httpUrl', 'serverUrl'])

function isOurs(entry: unknown, gate: Gate): boolean {
  if (typeof entry !== 'object' || entry === null) return false
  const { command, args, ...rest } = entry as Readonly<Record<string, unknown>>
  const others = Object.entries(rest).filter(([name]) => !HARMLESS.has(name))
  if (command === undefined)
    return others.length > 0 && others.every(([name, value]) => URLS.has(name) && isOurUrl(value, gate))
  const words: readonly unknown[] = [command, args ?? []].flat(2)
  return others.length === 0 && words.every((word) => typeof word === 'string') && isOurCommand(words, gate)
}

function isOurCommand([node = '', launcher = '', name, ...options]: readonly string[], { config }: Gate): boolean {
  if (name !== 'mcp' || !isSame(node, process.execPath) || !isSame(launcher, LAUNCHER)) return false
  const given = new Map<string, string>()
  for (let at = 0; at < options.length; at += 2) given.set(options[at] ?? '', options[at + 1] ?? '')
  const named = given.get('--config')
  if (named === undefined || !isAbsolute(named) || inRealFolder(named) !== inRealFolder(config)) return false
  return given.size * 2 === options.length && [...given.keys()].every((option) => OPTIONS.has(option))
}

const OPTIONS = new Set(['--config', '--agent', '--surface'])

function isSame(path: string, own: string): boolean {
  try {
    return isAbsolute(path) && realpathSync(path) === realpathSync(own)
  } catch {
    return false
  }
}

/** Only this gate can listen at its own address. */
function isOurUrl(value: unknown, gate: Gate): boolean {
  const [asked, own] = [typeof value === 'string' ? URL.parse(value) : null, URL.parse(gate.url())]
  return asked !== null && own !== null && asked.origin === own.origin && asked.pathname === '/mcp'
}

/** Only what is written plainly about servers: clients may read unusual notations differently. */
function isPlainToml(text: string): boolean {
  if (/\\[uU]/.test(text)) return false
  let isOwn = false
  return text.split(/\r?\n/).every((line) => {
    const header = /^\[mcp_servers\.(?:"([^"]*)"|([\w-]+))\]$/.exec(line.trim())
    if (header !== null) isOwn = /^sluice/i.test(header[1] ?? header[2] ?? '')
    else if (/^\s*\[/.test(line)) isOwn = false
    if (header === null && line.includes('mcp_servers'))
      return /^\[mcp_servers\.(?!"?sluice)["\w.-]+\]$/i.test(line.trim())
    return !isOwn || header !== null || /^(?:\s*(?:#.*)?|\w+ = (?:"[^"\\]*"|\d+|true|false|\[[^\]]*\]))$/.test(line)
  })
}

type Entries = readonly (readonly [name: string, entry: unknown])[] | 'unknown'

const bothOf = (one: Entries, other: Entries): Entries =>
  one === 'unknown' || other === 'unknown' ? 'unknown' : [...one, ...other]

/** A file and the keys that contain servers in it; `*` is any key. */
type ServerFile = { readonly file: string; readonly at: readonly string[] }
/** Undefined if there is no such file, and without a value if it cannot be read. */
type Read = (file: string) => { readonly value?: Json } | undefined

function serversIn({ file, at }: ServerFile, read: Read): Entries {
  const found = read(file)
  if (found === undefined) return []
  const { value } = found
  if (value === undefined) return 'unknown'
  const objects = at.flatMap((path) =>
    path.split('/').reduce<readonly Json[]>((values, key) => values.flatMap((each) => childrenAt(each, key)), [value]),
  )
  return objects.every((each) => isJsonObject(each)) ? objects.flatMap((each) => Object.entries(each)) : 'unknown'
}

function childrenAt(value: Json, key: string): readonly Json[] {
  if (!isJsonObject(value)) return []
  if (key === '*') return Object.values(value)
  return Object.hasOwn(value, key) ? [value[key] ?? null] : []
}

/** Some of these files are large, so one that has not changed is not parsed again. */
function rememberingReads(): Read {
  const known = new Map<string, { readonly mark: string; readonly read: { readonly value?: Json } }>()
  return (file) => {
    const stat = statSync(file, { throwIfNoEntry: false, bigint: true })
    if (stat === undefined) return undefined
    const mark = [stat.dev, stat.ino, stat.size, stat.ctimeNs].join(' ')
    const before = known.get(file)
    if (before?.mark === mark) return before.read
    if (known.size >= MOST_KNOWN) known.clear()
    const fresh = parsedFile(file)
    known.set(file, { mark, read: fresh })
    return fresh
  }
}
const MOST_KNOWN = 100

function parsedFile(file: string): { readonly value?: Json } {
  try {
    const text = readFileSync(file, 'utf8')
    if (file.endsWith('.toml')) return isPlainToml(text) ? { value: { mcp_servers: tomlServers(text) } as Json } : {}
    if (text.trim() === '') return { value: {} }
    return { value: (file.endsWith('.claude.json') ? JSON.parse(text) : readJsonc(text)) as Json }
  } catch {
    return {}
  }
}

/** Every file in which a client may have MCP servers, of its user and of the project that one of these folders is in. */
function serverFiles(client: HookClient, { home, env }: Around, folders: readonly string[]): readonly ServerFile[] {
  const upwards = [...new Set(folders.flatMap(withParents))]
  const inProjects = (...names: readonly string[]) =>
    upwards.flatMap((folder) => names.map((name) => join(folder, name)))
  const all = (files: readonly string[], ...at: readonly string[]) => files.map((file) => ({ file, at }))
  const extensions = (folder: string, name: string) =>
    [join(home, folder), ...inProjects(folder)].flatMap((base) => below(base, name))
  switch (client) {
    case 'claude-code': {
      const own = [home, env['CLAUDE_CONFIG_DIR'] ?? home].map((folder) => join(folder, '.claude.json'))
      const servers = all([...inProjects('.mcp.json'), '/etc/claude-code/managed-mcp.json'], 'mcpServers')
      return [...servers, ...all(own, 'mcpServers', 'projects/*/mcpServers')]
    }
    case 'codex': {
      const own = join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml')
      return all([own, '/etc/codex/config.toml', ...inProjects('.codex/config.toml')], 'mcp_servers')
    }
    case 'copilot': {
      const own = join(env['COPILOT_HOME'] ?? join(home, '.copilot'), 'mcp-config.json')
      const names = ['.copilot/mcp-config.json', '.mcp.json', '.github/mcp.json', '.vscode/mcp.json']
      return all([own, ...inProjects(...names)], 'mcpServers', 'servers')
    }
    case 'cursor':
      return all([join(home, '.cursor/mcp.json'), ...inProjects('.cursor/mcp.json')], 'mcpServers')
    case 'gemini':
    case 'qwen': {
      const system = client === 'gemini' ? '/etc/gemini-cli/settings.json' : '/etc/qwen-code/settings.json'
      const files = [join(home, `.${client}/settings.json`), system, ...inProjects(`.${client}/settings.json`)]
      return all([...files, ...extensions(`.${client}/extensions`, `${client}-extension.json`)], 'mcpServers')
    }
    default: {
      const names = ['opencode.json', 'opencode.jsonc']
      const own = join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'opencode')
      const files = [...names, 'config.json'].map((name) => join(own, name))
      return all([...files, ...inProjects(...names, ...names.map((name) => `.opencode/${name}`))], 'mcp')
    }
  }
}

function withParents(folder: string): readonly string[] {
  const found = [folder]
  for (let at = folder; dirname(at) !== at; at = dirname(at)) found.push(dirname(at))
  return found
}

function below(folder: string, name: string): readonly string[] {
  try {
    return readdirSync(folder).map((each) => join(folder, each, name))
  } catch {
    return []
  }
}
