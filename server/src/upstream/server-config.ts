import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config, ServerSettings } from '../contract/config.ts'
import { ok, refuse, type Result } from '../contract/problems.ts'

/** One tool server, ready to be started: paths are absolute, secrets are fetched. */
export type ServerConfig = Omit<ServerSettings, 'tools' | 'cwd'> & {
  readonly name: string
  readonly cwd: string
  /** A folder of its own in the gate's data folder, told to the child as `SLUICE_DATA`. Made by a server that wants it. */
  readonly data?: string
}

/**
 * The configured servers as they can be started. `./` and `../` at the start of a command or an argument, and every relative
 * `cwd`, count from the config file's folder; `node` is the Node that runs the gate. A secret that is not there is refused.
 */
export function serverConfigs(
  servers: Config['servers'],
  folder: string,
  environment: NodeJS.ProcessEnv = process.env,
): Result<readonly ServerConfig[]> {
  const configs: ServerConfig[] = []
  for (const [name, settings] of Object.entries(servers)) {
    const env: Record<string, string> = {}
    for (const [key, reference] of Object.entries(settings.env)) {
      const value = secretOf(reference, folder, environment)
      if (value === undefined)
        return refuse('config.invalid', { paths: `servers.${name}.env.${key}: secret is absent` })
      env[key] = value
    }
    const { tools: _tools, ...plain } = settings
    configs.push({
      ...plain,
      name,
      command: settings.command === 'node' ? process.execPath : fromFolder(settings.command, folder),
      args: settings.args.map((arg) => fromFolder(arg, folder)),
      env,
      cwd: resolve(folder, settings.cwd ?? '.'),
    })
  }
  return ok(configs)
}

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
