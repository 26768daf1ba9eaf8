import { scrubText } from '../../commands/calls/scrub-text.ts'

/** One server as a client writes it, in our terms. Values are still unchanged. */
export type Entry = {
  readonly command?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly url?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type ReadEntry =
  | { readonly is: 'server'; readonly entry: Entry }
  | { readonly is: 'left'; readonly why: string }
  /** It is a gate: the one of this configuration, if it names one. */
  | { readonly is: 'gate'; readonly config?: string }

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

/** Reads a server of any of the usual clients. One that cannot be imported completely stays where it is. */
export function readEntry(value: unknown, where: { readonly home: string; readonly cwd: string }): ReadEntry {
  const said = fieldsOf(value)
  // Zed's older format has the command as an object.
  const nested = fieldsOf(said['command'])
  const listed = Array.isArray(said['command']) ? textsOf(said['command']) : undefined
  const command = listed?.[0] ?? said['cmd'] ?? (typeof said['command'] === 'string' ? said['command'] : nested['path'])
  const address = said['url'] ?? said['httpUrl'] ?? said['serverUrl'] ?? said['uri']
  if (said['disabled'] === true || said['enabled'] === false) return { is: 'left', why: 'it is disabled in the client' }
  const fill = (text: string) =>
    text
      .replaceAll(/\$\{(?:workspaceFolder|workspaceRoot)\}/g, where.cwd)
      .replaceAll(/\$\{userHome\}|^~(?=[\\/])/g, where.home)
  if (typeof command === 'string' && command !== '') {
    const args = listed?.slice(1) ?? textsOf(said['args'] ?? nested['args'])
    const env = recordOf(said['env'] ?? nested['env'] ?? said['envs'] ?? said['environment'])
    if (args === undefined || env === undefined)
      return { is: 'left', why: 'its arguments or environment are not plain text' }
    if (isGate(command, args)) {
      const config = args.includes('--config') ? args[args.indexOf('--config') + 1] : undefined
      return { is: 'gate', ...(config === undefined ? {} : { config }) }
    }
    if (args.some((arg) => looksSecret('', arg) || /^--?[\w-]*(?:key|token|secret|passw)[\w-]*=./i.test(arg)))
      return {
        is: 'left',
        why: 'one of its arguments looks like a secret; move it to `env` there, then run this again',
      }
    const cwd = said['cwd']
    const kept = said['env_keys']
    if (Array.isArray(kept) && kept.length > 0)
      return {
        is: 'left',
        why: "its secrets are in the client's own keyring; move them to its environment, then run this again",
      }
    const filled = [command, ...args, ...(typeof cwd === 'string' ? [cwd] : [])].map(fill)
    if (filled.some(hasVariable) || Object.values(env).some(isPartlyVariable)) return { is: 'left', why: VARIABLE }
    return {
      is: 'server',
      entry: {
        command: fill(command),
        ...(args.length === 0 ? {} : { args: args.map(fill) }),
        ...(Object.keys(env).length === 0 ? {} : { env }),
        ...(typeof cwd === 'string' ? { cwd: fill(cwd) } : {}),
      },
    }
  }
  if (typeof address !== 'string' || !/^https?:\/\//.test(address))
    return { is: 'left', why: 'it has neither a command nor an http address' }
  if (
    /\/\/[^/]*@/.test(address) ||
    looksSecret('', address) ||
    /[?&][^=?&]{0,200}(?:key|token|secret)[^=?&]{0,200}=/i.test(address)
  )
    return { is: 'left', why: 'its address contains a secret; move it to `headers` there, then run this again' }
  const headers = recordOf(said['headers'])
  if (headers === undefined) return { is: 'left', why: 'its headers are not plain text' }
  if (hasVariable(fill(address)) || Object.values(headers).some(isPartlyVariable)) return { is: 'left', why: VARIABLE }
  return { is: 'server', entry: { url: fill(address), ...(Object.keys(headers).length === 0 ? {} : { headers }) } }
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
export const looksSecret = (name: string, value: string): boolean =>
  value !== '' && (SECRET_NAME.test(name) || scrubText(value) !== value || /:\/\/[^/\s:@]+:[^/\s@]+@/.test(value))

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
