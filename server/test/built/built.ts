import { globSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

const SERVER = resolve(import.meta.dirname, '../..')

/** Where the build for this run of the tests is (`global-setup.ts`). Outside the tests there is none, and the sources run. */
export const BUILD_VARIABLE = 'TEST_BUILD_FOLDER'

const FOUND = [
  'src/**/{boot-joiner,consent-racer,dying,killed-writer,lock-holder,racer}.suite.ts',
  'test/{chaos,crash}/dying-*.ts',
  'test/race/{approval-racer,call-racer,pauser,route-racer}.ts',
  'test/helpers/command-host.ts',
]

/** Scripts of tests that open a gate or a store in a process of their own. */
export const SCRIPTS = globSync(FOUND, { cwd: SERVER }).map((path) => path.replaceAll(sep, '/'))

/** The name of a script's entry in the build. All chunks are in `dist/main`, as in the published package. */
export const entryOf = (script: string) => `main/${script.replaceAll('/', '-').replace(/\.ts$/, '')}`

const folder = process.env[BUILD_VARIABLE]

export const SOURCE_LAUNCHER = join(SERVER, 'bin/sluice')
/** The launcher of the build: a gate starts in less than half the time that the sources need. */
export const LAUNCHER = folder === undefined ? SOURCE_LAUNCHER : join(folder, 'bin/sluice')

/** The script of a ledger's thread, which also starts in half the time. */
export const BUILT_WORKER = folder === undefined ? undefined : pathToFileURL(join(folder, 'dist/main/worker.js'))

/** The built form of a script, if there is one; otherwise the script itself. */
export function built(path: string): string {
  const script = relative(SERVER, path).replaceAll(sep, '/')
  return folder !== undefined && SCRIPTS.includes(script) ? join(folder, 'dist', `${entryOf(script)}.js`) : path
}
