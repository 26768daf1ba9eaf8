import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { placesIn } from './data-folder.ts'
import { clientFiles } from './init/client-files.ts'
import { hookPlaces } from './init/hook-files.ts'
import { opencodeSettings } from './init/opencode-permission.ts'
import { installedHook } from './installed-hook.ts'
import type { Settings } from './load-config.ts'
import { LAUNCHER } from './local-gate.ts'
import { serviceHere } from './service-unit.ts'

/**
 * The files of this user that decide what agents run and whether the gate is asked: the installed hook, the service, and what the
 * clients on this machine read, wherever their variables say it is. In other folders they are recognized by their names
 * (core/gate/sandbox/client-files.ts).
 */
export function decidingFiles({ data, file }: Pick<Settings, 'data' | 'file'>): readonly string[] {
  const around = { home: homedir(), cwd: dirname(file), platform: process.platform, env: process.env }
  const places = hookPlaces(around)
  const unit = serviceHere(LAUNCHER, file, placesIn(data).log)?.file
  return [
    dirname(installedHook(data)),
    ...(unit === undefined ? [] : [unit, `${unit}.d`]),
    ...clientFiles(around).map((client) => client.file),
    ...places.map((place) => place.file),
    ...places.filter(({ client }) => client === 'opencode').map(({ home }) => opencodeSettings(home)),
  ]
}

/** The gate's code, the Node that runs it, and the folders that Node looks for its libraries in. */
export function programFiles(): readonly string[] {
  const root = dirname(dirname(LAUNCHER))
  const isInstalled = basename(dirname(root)) === 'node_modules'
  const own = isInstalled ? [root] : ['bin', 'dist', 'src', 'package.json'].map((name) => join(root, name))
  // pnpm has all packages in one folder, each in a folder of its own.
  const around = dirname(root).replace(/([\\/]\.pnpm)[\\/].*$/, '$1')
  const libraries = isInstalled ? [around] : [root, dirname(root)].map((folder) => join(folder, 'node_modules'))
  return [process.execPath, ...[...own, ...libraries].filter((path) => existsSync(path))]
}
