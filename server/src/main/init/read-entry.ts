import { resolve } from 'node:path'
import type { ScrubText } from '../scrub-text.ts'
import type { HostEnvironment } from '../../adapters/files/client-hooks.ts'
import { isImplied, timeoutKey, WHY_LEFT } from './entry-keys.ts'
import { textIn } from '../../adapters/files/whole-file.ts'

/** One server as a client writes it, in our terms. Values are still unchanged. */
export type ServerEntry = {
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly timeout_ms?: number
}

export type ReadEntry =
  /** `lost`: the keys that have no equivalent in our settings. `notes`: how others were translated. */
  | {
      readonly is: 'server'
      readonly entry: ServerEntry
      readonly lost: readonly string[]
      readonly notes: readonly string[]
    }
  | { readonly is: 'left'; readonly why: string; readonly isOff?: true }
  /** It is a gate: the one of this configuration, if it names one. */
  | { readonly is: 'gate'; readonly config?: string }

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

/** Whose entry it is. `env`: of this process, for variables that a client would read. */
type Where = Pick<HostEnvironment, 'home' | 'cwd' | 'env'> & {
  readonly client?: string
  readonly name?: string
  readonly scrub: ScrubText
}

/**
 * Reads a server of any of the usual clients. One that cannot be imported completely stays where it is.
 * INVARIANT: every key of an imported one is translated, implied, or in `lost`.
 */
export function readEntry(value: unknown, where: Where): ReadEntry {
  const keys = new Keys(value)
  if (keys.get('disabled') === true || keys.get('enabled') === false)
    return { is: 'left', why: 'it is disabled in the client', isOff: true }
  const fill = (text: string) =>
    text
      .replaceAll(/\$\{(?:workspaceFolder|workspaceRoot)\}/g, () => where.cwd)
      .replaceAll(/\$\{userHome\}|^~(?=[\\/])/g, () => where.home)
  const read = readCommand(keys, where, fill) ?? readAddress(keys, where, fill)
  if (read.is !== 'server') return read
  const hindrance = Object.keys(WHY_LEFT).find((key) => ![undefined, null, false].includes(keys.get(key) as undefined))
  if (hindrance !== undefined) return { is: 'left', why: WHY_LEFT[hindrance] ?? '' }
  const timeout = timeoutIn(keys, where.client ?? '')
  const entry = timeout === undefined ? read.entry : { ...read.entry, timeout_ms: timeout }
  return { ...read, entry, lost: keys.unused(where.name ?? '') }
}

/** The gate that an entry means, if it means one. */
export function gateIn(value: unknown): Extract<ReadEntry, { is: 'gate' }> | undefined {
  const read = readEntry(value, { home: '', cwd: '', env: {}, scrub: (text) => text })
  return read.is === 'gate' ? read : undefined
}

/** The keys of an entry, which remember the ones that were used. A key below another one has the name `above.below`. */
class Keys {
  readonly #fields: Fields
  readonly #used = new Set<string>()
  constructor(value: unknown) {
    const fields = fieldsOf(value)
    // Zed's older format has the command as an object, Continue's has the headers in another one.
    const inner = (['command', 'requestOptions'] as const).flatMap((above) =>
      isFields(fields[above])
        ? Object.entries(fields[above]).map(([below, each]) => [`${above}.${below}`, each] as const)
        : [],
    )
    const isNested = (key: string) => ['command', 'requestOptions'].includes(key) && isFields(fields[key])
    const plain = Object.entries(fields).filter(([key]) => !isNested(key))
    this.#fields = Object.fromEntries([...plain, ...inner])
  }

  get = (key: string): unknown => (Object.hasOwn(this.#fields, key) ? this.#fields[key] : undefined)

  /** The value of the first of these keys that has one; it counts as used. */
  take(...names: readonly string[]): unknown {
    const name = names.find((each) => ![undefined, null].includes(this.get(each) as undefined))
    if (name === undefined) return undefined
    this.#used.add(name)
    return this.get(name)
  }

  unused = (name: string): readonly string[] =>
    Object.entries(this.#fields)
      .filter(([key, value]) => !this.#used.has(key) && !isImplied(key, value, name))
      .map(([key]) => key)
}

type Fill = (text: string) => string

/** A program that the client starts. Undefined if the entry names none. */
function readCommand(keys: Keys, where: Where, fill: Fill): ReadEntry | undefined {
  const given = keys.get('command')
  const listed = Array.isArray(given) ? textsOf(given) : undefined
  const command = listed?.[0] ?? (typeof given === 'string' ? given : (keys.get('command.path') ?? keys.get('cmd')))
  if (typeof command !== 'string' || command === '') return undefined
  keys.take(...(given === undefined ? ['command.path', 'cmd'] : ['command']))
  const args = listed?.slice(1) ?? textsOf(keys.take('args', 'command.args'))
  const own = recordOf(keys.take('env', 'command.env', 'envs', 'environment'))
  const passed = textsOf(keys.get('env_vars'))
  if (passed !== undefined) keys.take('env_vars')
  if (args === undefined || own === undefined)
    return { is: 'left', why: 'its arguments or environment are not plain text' }
  if (isGate(command, args)) {
    const config = args.includes('--config') ? args[args.indexOf('--config') + 1] : undefined
    return { is: 'gate', ...(config === undefined ? {} : { config }) }
  }
  if (
    args.some((arg) => looksSecret(where.scrub, '', arg) || /^--?[\w-]*(?:key|token|secret|passw)[\w-]*=./i.test(arg))
  )
    return { is: 'left', why: 'one of its arguments looks like a secret; move it to `env` there, then run this again' }
  const cwd = keys.get('cwd')
  if (typeof cwd === 'string' && cwd !== '') keys.take('cwd')
  const kept = keys.take('env_keys')
  if (Array.isArray(kept) && kept.length > 0)
    return {
      is: 'left',
      why: "its secrets are in the client's own keyring; move them to its environment, then run this again",
    }
  const file = keys.take('envFile', 'env_file')
  const filled = typeof file === 'string' ? fill(file) : undefined
  const inFile = filled === undefined ? {} : envFileAt(resolve(where.cwd, filled))
  if (inFile === undefined || (file !== undefined && filled === undefined))
    return { is: 'left', why: `its \`envFile\` cannot be read (${filled ?? 'not a path'})` }
  const env = { ...Object.fromEntries((passed ?? []).map((name) => [name, `\${${name}}`])), ...inFile, ...own }
  const folder = typeof cwd === 'string' && cwd !== '' ? { cwd: fill(cwd) } : {}
  const words = [fill(command), ...args.map(fill)]
  if ([...words, ...Object.values(folder)].some(hasVariable) || Object.values(env).some(isPartlyVariable))
    return { is: 'left', why: VARIABLE }
  const entry = {
    command: fill(command),
    ...(args.length === 0 ? {} : { args: args.map(fill) }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...folder,
  }
  const notes = filled === undefined ? [] : [`the variables of ${filled} are taken as they are now`]
  return { is: 'server', entry, lost: [], notes }
}

/** A server that the client reaches over HTTP. */
function readAddress(keys: Keys, where: Where, fill: Fill): ReadEntry {
  const address = keys.take('url', 'httpUrl', 'serverUrl', 'uri')
  if (typeof address !== 'string' || !/^https?:\/\//.test(address))
    return { is: 'left', why: 'it has neither a command nor an http address' }
  if (
    /\/\/[^/]*@/.test(address) ||
    looksSecret(where.scrub, '', address) ||
    /[?&][^=?&]{0,200}(?:key|token|secret)[^=?&]{0,200}=/i.test(address)
  )
    return { is: 'left', why: 'its address contains a secret; move it to `headers` there, then run this again' }
  const own = recordOf(keys.take('headers', 'http_headers', 'requestOptions.headers'))
  const named = recordOf(keys.take('env_http_headers'))
  if (own === undefined || named === undefined) return { is: 'left', why: 'its headers are not plain text' }
  const bearer = keys.take('bearer_token_env_var')
  if (bearer !== undefined && typeof bearer !== 'string')
    return { is: 'left', why: 'its `bearer_token_env_var` is not the name of a variable' }
  const token = bearer === undefined ? undefined : where.env[bearer]
  if (bearer !== undefined && (token ?? '') === '')
    return {
      is: 'left',
      why: `its token is in the variable ${bearer} (\`bearer_token_env_var\`), which is not set here; set it, then run this again`,
    }
  const headers = {
    ...own,
    ...Object.fromEntries(Object.entries(named).map(([header, name]) => [header, `\${${name}}`])),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  }
  if (hasVariable(fill(address)) || Object.values(headers).some(isPartlyVariable)) return { is: 'left', why: VARIABLE }
  const notes = token === undefined ? [] : [`the token in ${bearer} is taken as it is now`]
  const entry = { url: fill(address), ...(Object.keys(headers).length === 0 ? {} : { headers }) }
  return { is: 'server', entry, lost: [], notes }
}

const LONGEST_MS = 3_600_000

/** Used only if it can be translated exactly. */
function timeoutIn(keys: Keys, client: string): number | undefined {
  const unit = timeoutKey(client)
  const value = unit === undefined ? undefined : keys.get(unit.key)
  const ms = unit !== undefined && typeof value === 'number' ? value * unit.ms : 0
  if (unit === undefined || !Number.isInteger(ms) || ms < 1 || ms > LONGEST_MS) return undefined
  keys.take(unit.key)
  return ms
}

/** The variables in a file like `.env`. Undefined if it cannot be read, or has a line with another meaning. */
function envFileAt(file: string): Readonly<Record<string, string>> | undefined {
  const lines = textIn(file)
    ?.replace(/^\uFEFF/, '')
    .split(/\r?\n/)
  const pairs = lines
    ?.filter((line) => !/^\s*(?:#|$)/.test(line))
    .map((line) =>
      /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(?:"([^"\\]*)"|'([^']*)'|([^"'\s][^#]*?|))\s*(?:#.*)?$/.exec(line),
    )
  if (pairs === undefined || pairs.includes(null)) return undefined
  return Object.fromEntries(
    pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', pair[2] ?? pair[3] ?? pair[4] ?? ''] as const])),
  )
}

const VARIABLE =
  'it uses `${…}` in a part of a value, which the gate does not support; use it as a whole value in `env` or `headers`, then run this again'
const hasVariable = (text: string) => /\$\{|\{(?:env|file):/.test(text)
const isPartlyVariable = (text: string) => hasVariable(text) && variableIn(text) === undefined

const isGate = (command: string, args: readonly string[]) =>
  /(?:^|[\\/])sluice(?:\.cmd|\.exe)?$/.test(command) ||
  (args.includes('mcp') && args.some((arg) => /(?:^|[\\/])sluice(?:@[\w.-]+)?$/.test(arg)))

const SECRET_NAME =
  /key|token|secret|passw|pwd|auth|credential|cookie|private|session|(?:^|_)pat(?:_|$)|dsn|connection|database_url/i

/** By its name or its format. Better one file too many than a secret in a shared file. */
export const looksSecret = (scrub: ScrubText, name: string, value: string): boolean =>
  value !== '' && (SECRET_NAME.test(name) || scrub(value) !== value || /:\/\/[^/\s:@]+:[^/\s@]+@/.test(value))

function textsOf(value: unknown): readonly string[] | undefined {
  if (value === undefined) return []
  return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined
}

function recordOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return {}
  const pairs = Object.entries(fieldsOf(value)).map(([name, each]) => [name, each] as const)
  if (pairs.some(([, each]) => typeof each !== 'string' && typeof each !== 'number' && typeof each !== 'boolean'))
    return undefined
  return Object.fromEntries(pairs.map(([name, each]) => [name, String(each)]))
}

/** `${NAME}`, `${env:NAME}` and `${input:name}` mean a value from elsewhere: the gate takes it from its environment. */
export function variableIn(value: string): string | undefined {
  const name =
    /^(?:\$\{(?:env:|input:)?|\{env:)([\w.-]+)\}$/.exec(value)?.[1] ?? /^\$([A-Z_][A-Z0-9_]*)$/.exec(value)?.[1]
  return name === undefined ? undefined : name.replaceAll(/[^A-Za-z0-9_]/g, '_')
}
