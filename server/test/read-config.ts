import { serverConfigs } from '../src/adapters/upstream/server-config.ts'
import type { ServerConfig } from '../src/adapters/upstream/server-kind.ts'
import type { Config } from '../src/kernel/contract/config.ts'
import type { Result } from '../src/kernel/contract/problems.ts'
import { readConfig as readWith, type PlaceOf } from '../src/kernel/contract/read-config.ts'
import type { ServerSettings } from '../src/kernel/contract/server-settings.ts'
import { CONFIG } from '../src/main/config-schema.ts'
import { SERVER_KINDS } from '../src/main/server-kinds.ts'

/** A configuration as this build reads it, with the sections of every guest. */
export const readConfig = (value: unknown, placeOf?: PlaceOf): Result<Config> => readWith(CONFIG, value, placeOf)

/** The settings of one tool server. */
export function settingsOf(server: object): ServerSettings {
  const read = readConfig({ servers: { one: server } })
  const settings = read.ok ? read.value.servers['one'] : undefined
  if (settings === undefined) throw new Error(read.ok ? 'no settings' : read.problem.about['paths'])
  return settings
}

/** Its servers, ready to be started or reached. */
export const resolvedServers = (
  servers: Readonly<Record<string, ServerSettings>>,
  folder: string,
  environment?: NodeJS.ProcessEnv,
): Result<readonly ServerConfig[]> => serverConfigs(SERVER_KINDS, servers, folder, environment)
