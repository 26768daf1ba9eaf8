import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { ClientSettings } from '../../kernel/contract/client-settings.ts'
import type { CommandSettings, CommandsSettings } from '../../guests/commands/command-settings.ts'
import type { Config, HttpSettings, ServerSettings, StdioSettings } from '../../kernel/contract/config.ts'
import type { LoginSettings, OAuthSettings } from '../../kernel/contract/http-settings.ts'
import type { OpenApiSettings } from '../../guests/openapi/openapi-settings.ts'
import { ok, refuse, type Result } from '../../kernel/contract/problems.ts'
import { runAs, type RunAs } from './run-as.ts'

/**
 * `data`: a separate folder beside the gate's data folder, passed to a child as `SLUICE_DATA`. Created by a server that needs it.
 */
type Named = {
  readonly name: string
  readonly data?: string
  /** What is missing, in sentences: the server is down until it is there. */
  readonly missing?: readonly string[]
  /** Called immediately before a request is sent. False: other nodes may have taken over this one's calls. */
  readonly mayAct?: () => boolean
}
type Process = { readonly cwd: string; readonly run_as?: RunAs }
export type StdioServer = Omit<StdioSettings, 'tools' | 'cwd' | 'user'> & Named & Process
/** `configured`: the operator has a `login` section. Without one, a login is possible if the server asks for it. */
export type ServerLogin = LoginSettings & { readonly configured: boolean }
export type HttpServer = Omit<HttpSettings, 'tools' | 'login'> & Named & { readonly login?: ServerLogin }
/** `query`: what every request adds besides its own parameters. */
export type OpenApiServer = Omit<OpenApiSettings, 'tools' | 'auth'> &
  Named & { readonly oauth?: OAuthSettings; readonly query: Readonly<Record<string, string>> }
export type CommandsServer = Omit<CommandsSettings, 'tools' | 'cwd' | 'user' | 'commands'> &
  Named &
  Process & { readonly commands: Readonly<Record<string, CommandSettings>> }

export type ClientServer = Omit<ClientSettings, 'tools'> & Named

/** One tool server, ready to be started or reached: paths are absolute, secrets are resolved. */
export type ServerConfig = StdioServer | HttpServer | OpenApiServer | CommandsServer | ClientServer

/** Resolves a secret, or notes where one is missing and what to do. */
type Fetch = (reference: string, where: string) => string

/**
 * The configured servers, ready to be started or reached. `./` and `../` at the start of a command or an argument, and every
 * relative `cwd`, are relative to the config file's folder; `node` is the Node that runs the gate. A server whose secret is missing is
 * not started (`missing`); the others are.
 */
export function serverConfigs(
  servers: Config['servers'],
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Result<readonly ServerConfig[]> {
  const faults: string[] = []
  const configs = Object.entries(servers)
    .filter(isStarted)
    .map(([name, settings]) => {
      const missing: string[] = []
      const fetch: Fetch = (reference, where) => {
        const value = secretOf(reference, folder, environment)
        if (value === undefined) missing.push(`\`${where}\`: ${missingText(reference, name)}`)
        return value ?? ''
      }
      const { server, wrong } = resolved(name, settings, folder, fetch)
      faults.push(...wrong)
      return missing.length === 0 ? server : { ...server, missing }
    })
  return faults.length === 0 ? ok(configs) : refuse('config.invalid', { paths: faults.join('; ') })
}

/** Without the reference itself if it is neither: then it would be the secret. */
function missingText(reference: string, server: string): string {
  if (reference.startsWith('env:'))
    return `the variable ${reference.slice('env:'.length)} is not set in the environment of the gate; set it and restart the gate`
  return `${reference.slice('file:'.length)} cannot be read; create it, then run \`sluice servers retry ${server}\``
}

/** An empty set of commands represents something that the gate does itself. */
const isStarted = ([, { commands }]: [string, ServerSettings]): boolean =>
  commands === undefined || Object.keys(commands).length > 0

type Resolved = { readonly server: ServerConfig; readonly wrong: readonly string[] }

function resolved(name: string, settings: ServerSettings, folder: string, fetch: Fetch): Resolved {
  if (settings.url !== undefined) return httpServer(name, settings, fetch)
  if (settings.openapi !== undefined) return openApiServer(name, settings, folder, fetch)
  if (settings.client !== undefined) {
    const { tools: _tools, ...plain } = settings
    return { server: { ...plain, name }, wrong: [] }
  }
  const { user } = settings
  const as = user === undefined ? undefined : runAs(user, `servers.${name}.user`)
  const wrong = as?.ok === false ? [as.problem.about['paths'] ?? ''] : []
  const run_as = as?.ok === true ? { run_as: as.value } : {}
  if (settings.commands !== undefined)
    return { server: { ...commandsServer(name, settings, folder, fetch), ...run_as }, wrong }
  return { server: { ...stdioServer(name, settings, folder, fetch), ...run_as }, wrong }
}

function stdioServer(name: string, settings: StdioSettings, folder: string, fetch: Fetch): StdioServer {
  const { tools: _tools, user: _user, ...plain } = settings
  return {
    ...plain,
    name,
    command: programOf(settings.command, folder),
    args: settings.args.map((arg) => fromFolder(arg, folder)),
    env: fetchAll(settings.env, 'env', fetch),
    cwd: resolve(folder, settings.cwd ?? '.'),
  }
}

function commandsServer(name: string, settings: CommandsSettings, folder: string, fetch: Fetch): CommandsServer {
  const { tools: _tools, user: _user, ...plain } = settings
  return {
    ...plain,
    name,
    commands: mapValues(settings.commands, (command) => ({ ...command, run: withProgram(command.run, folder) })),
    env: fetchAll(settings.env, 'env', fetch),
    cwd: resolve(folder, settings.cwd ?? '.'),
  }
}

function withProgram(run: CommandSettings['run'], folder: string): CommandSettings['run'] {
  const [program, ...rest] = run
  return typeof program === 'string' ? [programOf(program, folder), ...rest] : run
}

function openApiServer(name: string, settings: OpenApiSettings, folder: string, fetch: Fetch): Resolved {
  const { tools: _tools, auth = {}, ...plain } = settings
  const { bearer, basic, api_key, oauth } = auth
  const headers = fetchAll(settings.headers, 'headers', fetch)
  const query: Record<string, string> = {}
  if (bearer !== undefined) headers['authorization'] = `Bearer ${fetch(bearer, 'auth.bearer')}`
  if (basic !== undefined) {
    const pair = `${fetch(basic.user, 'auth.basic.user')}:${fetch(basic.password, 'auth.basic.password')}`
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  if (api_key !== undefined) {
    const place = api_key.in === 'header' ? headers : query
    place[api_key.name] = fetch(api_key.value, 'auth.api_key.value')
  }
  const wrong = wrongHeaders(name, headers)
  const given = Object.keys(headers).filter((header) => header.toLowerCase() === 'authorization').length
  if (given + (oauth === undefined ? 0 : 1) > 1)
    wrong.push(`servers.${name}.auth: the header \`authorization\` is already set`)
  const server = {
    ...plain,
    name,
    openapi: resolve(folder, settings.openapi),
    headers,
    query,
    ...(oauth === undefined
      ? {}
      : { oauth: { ...oauth, client_secret: fetch(oauth.client_secret, 'auth.oauth.client_secret') } }),
  }
  return { server, wrong }
}

function wrongHeaders(name: string, headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers)
    .filter(([, value]) => !isHeaderValue(value))
    .map(([header]) => `servers.${name}.headers.${header}: not a valid header value`)
}

function httpServer(name: string, settings: HttpSettings, fetch: Fetch): Resolved {
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
function loginOf(login: LoginSettings | undefined, fetch: Fetch): ServerLogin {
  if (login === undefined) return { per: 'gate', configured: false }
  const { client_secret } = login
  const secret = client_secret === undefined ? {} : { client_secret: fetch(client_secret, 'login.client_secret') }
  return { ...login, ...secret, configured: true }
}

const mapValues = <T, U>(
  record: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Record<string, U> => Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

const fetchAll = (references: Readonly<Record<string, string>>, where: string, fetch: Fetch): Record<string, string> =>
  mapValues(references, (value, key) => fetch(value, `${where}.${key}`))

const programOf = (text: string, folder: string) => (text === 'node' ? process.execPath : fromFolder(text, folder))

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
