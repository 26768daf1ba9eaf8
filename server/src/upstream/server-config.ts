import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config, HttpSettings, StdioSettings } from '../contract/config.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'

/** `data`: a folder of its own in the gate's data folder, told to a child as `SLUICE_DATA`. Made by a server that wants it. */
type Named = { readonly name: string; readonly data?: string }
export type StdioServer = Omit<StdioSettings, 'tools' | 'cwd'> & Named & { readonly cwd: string }
export type HttpServer = Omit<HttpSettings, 'tools'> & Named

/** One tool server, ready to be started or reached: paths are absolute, secrets are fetched. */
export type ServerConfig = StdioServer | HttpServer

/** Fetches a secret, or notes where one is absent. */
type Fetch = (reference: string, where: string) => string

/**
 * The configured servers as they can be started or reached. `./` and `../` at the start of a command or an argument, and every
 * relative `cwd`, count from the config file's folder; `node` is the Node that runs the gate. A secret that is not there is
 * refused.
 */
export function serverConfigs(
  servers: Config['servers'],
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Result<readonly ServerConfig[]> {
  const faults: string[] = []
  const configs = Object.entries(servers).map(([name, settings]) => {
    const fetch: Fetch = (reference, where) => {
      const value = secretOf(reference, folder, environment)
      if (value === undefined) faults.push(`servers.${name}.${where}: secret is absent`)
      return value ?? ''
    }
    const { server, wrong } =
      settings.url === undefined
        ? { server: stdioServer(name, settings, folder, fetch), wrong: [] }
        : httpServer(name, settings, fetch)
    faults.push(...wrong)
    return server
  })
  return faults.length === 0 ? ok(configs) : refuse('config.invalid', { paths: faults.join('; ') })
}

function stdioServer(name: string, settings: StdioSettings, folder: string, fetch: Fetch): StdioServer {
  const { tools: _tools, ...plain } = settings
  return {
    ...plain,
    name,
    command: settings.command === 'node' ? process.execPath : fromFolder(settings.command, folder),
    args: settings.args.map((arg) => fromFolder(arg, folder)),
    env: fetchAll(settings.env, 'env', fetch),
    cwd: resolve(folder, settings.cwd ?? '.'),
  }
}

function httpServer(name: string, settings: HttpSettings, fetch: Fetch): { server: HttpServer; wrong: string[] } {
  const { tools: _tools, oauth, ...plain } = settings
  const headers = fetchAll(settings.headers, 'headers', fetch)
  const wrong = Object.entries(headers)
    .filter(([, value]) => !isHeaderValue(value))
    .map(([header]) => `servers.${name}.headers.${header}: not the value of a header`)
  if (oauth !== undefined && Object.keys(headers).some((header) => header.toLowerCase() === 'authorization'))
    wrong.push(`servers.${name}.oauth: the header \`authorization\` is already given`)
  const server = {
    ...plain,
    name,
    headers,
    ...(oauth === undefined
      ? {}
      : { oauth: { ...oauth, client_secret: fetch(oauth.client_secret, 'oauth.client_secret') } }),
  }
  return { server, wrong }
}

const fetchAll = (references: Readonly<Record<string, string>>, where: string, fetch: Fetch): Record<string, string> =>
  Object.fromEntries(Object.entries(references).map(([key, value]) => [key, fetch(value, `${where}.${key}`)]))

/** Line breaks would start another header; what is not Latin-1 cannot be written. */
const isHeaderValue = (value: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value)

const fromFolder = (text: string, folder: string) => (/^\.\.?\//.test(text) ? resolve(folder, text) : text)

/** What a reference stands for: `env:NAME`, `file:PATH`, or the text itself. Undefined when it is not there. */
export function secretOf(reference: string, folder: string, environment: NodeJS.ProcessEnv): string | undefined {
  if (reference.startsWith('env:')) return environment[reference.slice('env:'.length)]
  if (!reference.startsWith('file:')) return reference
  try {
    return readFileSync(resolve(folder, reference.slice('file:'.length)), 'utf8').trimEnd()
  } catch {
    return undefined
  }
}
