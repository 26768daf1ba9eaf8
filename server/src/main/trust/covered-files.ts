import { readdirSync, readFileSync, statSync } from 'node:fs'
import { isAbsolute, join, relative, resolve } from 'node:path'
import type { Config } from '../../kernel/contract/config.ts'
import { processOf, type ServerSettings } from '../../kernel/contract/server-settings.ts'
import { sha256Hex } from '../../adapters/keys/digest.ts'
import { reachOfServer } from '../config-schema.ts'
import type { Settings } from '../load-config.ts'
import { realOf } from '../servers-reaching-data.ts'

type Covered = Pick<Settings, 'file' | 'folder' | 'config' | 'policy'>

/**
 * The digest of every file that decides what the gate starts and allows: the configuration, what it includes (policy, packs,
 * OpenAPI documents), and the programs and scripts of its own folder that it names. What those load themselves is not covered.
 */
export function coveredFiles({ file, folder, config, policy }: Covered): Readonly<Record<string, string>> {
  const named = [
    file,
    resolve(folder, policy.file),
    ...packFiles(config, folder),
    ...Object.values(config.servers).flatMap((settings) => filesOf(settings, folder)),
    ...sealProgram(config, folder),
  ]
  const digests: Record<string, string> = {}
  for (const path of named) {
    const digest = digestOf(path)
    if (digest !== undefined) digests[relative(folder, path)] = digest
  }
  return digests
}

/** The names of those that a running gate reads again. */
export const liveFiles = ({ file, folder, policy }: Covered): ReadonlySet<string> =>
  new Set([file, resolve(folder, policy.file)].map((path) => relative(folder, path)))

/** The names of the files that differ from what was trusted. */
export function differencesIn(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])]
  return names.filter((name) => before[name] !== now[name]).toSorted()
}

function packFiles({ packs }: Config, folder: string): readonly string[] {
  if (packs === undefined) return []
  const place = resolve(folder, packs)
  try {
    return readdirSync(place).map((name) => join(place, name))
  } catch {
    return []
  }
}

function filesOf(settings: ServerSettings, folder: string): readonly string[] {
  const { programs = [], files = [] } = reachOfServer(settings)
  const { cwd, env = {} } = processOf(settings) ?? {}
  const words = [...programs.flatMap(({ words }) => words), ...Object.values(env)]
  return [...files.map((file) => resolve(folder, file)), ...ownFiles(words, resolve(folder, cwd ?? '.'), folder)]
}

function sealProgram({ store: { seal } }: Config, folder: string): readonly string[] {
  if (seal === undefined || seal === false || !('command' in seal)) return []
  return ownFiles(seal.command, process.cwd(), folder)
}

/** Other files that a command line names are usually data, which changes with every call. */
const SCRIPT = /\.(?:[cm]?[jt]sx?|py|rb|sh|bash|zsh|pl|php|lua|jar|wasm|ps1|bat|cmd|exe)$/i

/** The programs and scripts inside the configuration's folder, also behind an option: `--import=./hook.js`. */
function ownFiles(words: readonly string[], cwd: string, folder: string): readonly string[] {
  const own = realOf(folder)
  const spelled = words.flatMap((word) => [word, ...word.split(/[=\s:,]/)]).filter((word) => word !== '')
  const places = spelled.flatMap((word) => (isAbsolute(word) ? [word] : [resolve(cwd, word), resolve(folder, word)]))
  return [...new Set(places)].filter((path) => {
    if (!SCRIPT.test(path) && !isExecutable(path)) return false
    const inside = relative(own, realOf(path))
    return !inside.startsWith('..') && !isAbsolute(inside)
  })
}

function isExecutable(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat?.isFile() === true && (stat.mode & 0o111) !== 0
}

/** Undefined if there is no such file. */
function digestOf(path: string): string | undefined {
  try {
    return statSync(path).isFile() ? sha256Hex(readFileSync(path)) : undefined
  } catch {
    return undefined
  }
}
