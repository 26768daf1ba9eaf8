import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'rolldown'
import { writeBundle } from '../../bundle.ts'
import { BUILD_VARIABLE, entryOf, SCRIPTS } from './built.ts'

const SERVER = resolve(import.meta.dirname, '../..')
const ROOT = resolve(SERVER, '..')
/** Below `server/node_modules`, so that the libraries that are not in the bundle are found. */
const BUILDS = join(SERVER, 'node_modules/.cache/sluice-tests')
const DAY_MS = 86_400_000

/**
 * Builds the gate once for all tests that start it as a process: hundreds of starts from the sources took most of the suite's time.
 * A build is kept until one of its sources changes.
 */
export async function setup(): Promise<void> {
  const folder = join(BUILDS, stateOfSources())
  if (!existsSync(folder)) await build(folder)
  process.env[BUILD_VARIABLE] = folder
}

async function build(folder: string): Promise<void> {
  removeOldBuilds()
  const fresh = `${folder}.${process.pid}`
  const scripts = SCRIPTS.map((script) => [entryOf(script), join(SERVER, script)])
  await writeBundle(join(fresh, 'dist'), Object.fromEntries(scripts), [ownPlaces])
  cpSync(join(SERVER, 'bin'), join(fresh, 'bin'), { recursive: true })
  cpSync(join(SERVER, 'package.json'), join(fresh, 'package.json'))
  const demo = join(SERVER, 'src/guests/demo/servers/sluice.yaml')
  if (existsSync(demo)) cpSync(demo, join(fresh, 'dist/demo/sluice.yaml'))
  const pages = join(ROOT, 'console/dist')
  if (existsSync(pages)) cpSync(pages, join(fresh, 'dist/console'), { recursive: true })
  try {
    renameSync(fresh, folder)
  } catch (error) {
    // Another run of the tests has finished the same build.
    if (!existsSync(folder)) throw error
    rmSync(fresh, { recursive: true })
  }
}

/** Scripts of tests refer to files beside their sources. */
const ownPlaces: Plugin = {
  name: 'own-places',
  transform(code, id) {
    if (!relative(SERVER, id).split(sep).includes('test') || !code.includes('import.meta.')) return null
    return code
      .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
      .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
  },
}

function removeOldBuilds(): void {
  mkdirSync(BUILDS, { recursive: true })
  for (const name of readdirSync(BUILDS)) {
    const place = join(BUILDS, name)
    const age = Date.now() - (statSync(place, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > DAY_MS) rmSync(place, { recursive: true, force: true })
  }
}

/** Changes with the name, size or time of any file that the build contains. */
function stateOfSources(): string {
  const hash = createHash('sha256')
  const note = (path: string) => {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat?.isFile() === true) hash.update(`${path} ${stat.size} ${stat.mtimeMs}\n`)
  }
  for (const path of ['server/src', 'server/test', 'server/bin', 'console/dist']) {
    const place = join(ROOT, path)
    if (!existsSync(place)) continue
    for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' }).sort()) note(join(place, name))
  }
  for (const path of ['server/bundle.ts', 'server/package.json', 'package-lock.json']) note(join(ROOT, path))
  return hash.digest('hex').slice(0, 16)
}
