import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { LoginSettings } from '../../kernel/contract/http-settings.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import type {
  ClientSettings,
  HttpSettings,
  ServerSettings,
  StdioSettings,
} from '../../kernel/contract/server-settings.ts'
import { runAs, type RunAs } from './run-as.ts'
import type {
  ClientServer,
  HttpServer,
  Resolved,
  Resolving,
  ServerConfig,
  ServerKind,
  ServerLogin,
  StdioServer,
} from './server-kind.ts'

/**
 * The configured servers, ready to be started or reached. `./` and `../` at the start of a command or an argument, and every
 * relative `cwd`, are relative to the config file's folder; `node` is the Node that runs the gate. A server whose secret is missing is
 * not started (`missing`); the others are.
 */
export function serverConfigs(
  kinds: readonly ServerKind[],
  servers: Readonly<Record<string, ServerSettings>>,
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Result<readonly ServerConfig[]> {
  const faults: string[] = []
  const configs = Object.entries(servers).flatMap(([name, settings]): ServerConfig[] => {
    const kind = kindOf(kinds, settings)
    if (kind === undefined || settings.gate !== undefined) return []
    const missing: string[] = []
    const fetch: Resolving['fetch'] = (reference, where) => {
      const value = secretOf(reference, folder, environment)
      if (value === undefined) missing.push(`\`${where}\`: ${missingText(reference, name)}`)
      return value ?? ''
    }
    const { server, wrong } = kind.resolve(settings, { name, folder, fetch })
    faults.push(...wrong)
    return [missing.length === 0 ? server : { ...server, missing }]
  })
  return faults.length === 0 ? ok(configs) : refuse('config.invalid', { paths: faults.join('; ') })
}

/** Without the reference itself if it is neither: then it would be the secret. */
function missingText(reference: string, server: string): string {
  if (reference.startsWith('env:'))
    return `the variable ${reference.slice('env:'.length)} is not set in the environment of the gate; set it and restart the gate`
  return `${reference.slice('file:'.length)} cannot be read; create it, then run \`sluice servers retry ${server}\``
}

/** The kind of a server, by its settings or by what they were resolved to. */
export const kindOf = (
  kinds: readonly ServerKind[],
  server: { readonly [K in ServerKind['key']]?: unknown },
): ServerKind | undefined => kinds.find(({ key }) => server[key] !== undefined)

/** The user that the programs of a server run as. */
export function runningAs(
  name: string,
  user: string | undefined,
): { readonly run_as?: RunAs; readonly wrong: string[] } {
  if (user === undefined) return { wrong: [] }
  const as = runAs(user, `servers.${name}.user`)
  return as.ok ? { run_as: as.value, wrong: [] } : { wrong: [as.problem.about['paths'] ?? ''] }
}

export function stdioServer(settings: StdioSettings, { name, folder, fetch }: Resolving): Resolved<StdioServer> {
  const { tools: _tools, user, ...plain } = settings
  const { wrong, ...as } = runningAs(name, user)
  const server = {
    ...plain,
    name,
    command: programOf(settings.command, folder),
    args: settings.args.map((arg) => fromFolder(arg, folder)),
    env: fetchAll(settings.env, 'env', fetch),
    cwd: resolve(folder, settings.cwd ?? '.'),
    ...as,
  }
  return { server, wrong }
}

export function clientServer({ tools: _tools, ...plain }: ClientSettings, { name }: Resolving): Resolved<ClientServer> {
  return { server: { ...plain, name }, wrong: [] }
}

export function wrongHeaders(name: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([, value]) => !isHeaderValue(value))
    .map(([header]) => `servers.${name}.headers.${header}: not a valid header value`)
}

export function httpServer(settings: HttpSettings, { name, fetch }: Resolving): Resolved<HttpServer> {
  const { tools: _tools, oauth, login, ...plain } = settings
  const headers = fetchAll(settings.headers, 'headers', fetch)
  const wrong = wrongHeaders(name, headers)
  const is_given = Object.keys(headers).some((header) => header.toLowerCase() === 'authorization')
  if (oauth !== undefined && is_given) wrong.push(`servers.${name}.oauth: the header \`authorization\` is already set`)
  if (login !== undefined && (is_given || oauth !== undefined))
    wrong.push(`servers.${name}.login: ${is_given ? 'the header `authorization`' : '`oauth`'} is already given`)
  const server = {
    ...plain,
    name,
    headers,
    ...(oauth === undefined
      ? {}
      : { oauth: { ...oauth, client_secret: fetch(oauth.client_secret, 'oauth.client_secret') } }),
    ...(oauth !== undefined || is_given ? {} : { login: loginOf(login, fetch) }),
  }
  return { server, wrong }
}

/** A server without other credentials may turn out to need a login. */
function loginOf(login: LoginSettings | undefined, fetch: Resolving['fetch']): ServerLogin {
  if (login === undefined) return { per: 'gate', configured: false }
  const { client_secret } = login
  const secret = client_secret === undefined ? {} : { client_secret: fetch(client_secret, 'login.client_secret') }
  return { ...login, ...secret, configured: true }
}

export const fetchAll = (
  references: Readonly<Record<string, string>>,
  where: string,
  fetch: Resolving['fetch'],
): Record<string, string> =>
  Object.fromEntries(Object.entries(references).map(([key, value]) => [key, fetch(value, `${where}.${key}`)]))

export const programOf = (text: string, folder: string) =>
  text === 'node' ? process.execPath : fromFolder(text, folder)

/** Line breaks would start another header; only Latin-1 can be written. */
const isHeaderValue = (value: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

const fromFolder = (text: string, folder: string) => (/^\.\.?\//.test(text) ? resolve(folder, text) : text)

/** The value of a reference: `env:NAME`, `file:PATH`, or the text itself. Undefined if it is missing. */
export function secretOf(reference: string, folder: string, environment: NodeJS.ProcessEnv): string | undefined {
  if (reference.startsWith('env:')) return environment[reference.slice('env:'.length)]
  if (!reference.startsWith('file:')) return reference
  try {
    return readFileSync(resolve(folder, reference.slice('file:'.length)), 'utf8').trimEnd()
  } catch {
    return undefined
  }
}
